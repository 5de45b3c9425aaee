/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - what a server shows of its own work to onlookers
 *
 * One file for each server, `<shm>/<prefix>,shm/KIND.<server id>`. The server
 * alone writes it, some times a second; onlookers read it. A reader takes a
 * copy and compares `seq` before and after: odd or changed, it reads again. A
 * killed server leaves its file: readers see that its process is dead, and the
 * next server with the id takes it over. It goes with the domain's folder.
 *
 * A snapshot is a struct that begins with struct ow_snapshot. It has no
 * pointers, and its size belongs to its layout.
 */
#ifndef OW_SNAPSHOT_H
#define OW_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

struct ow_domain;

struct ow_snapshot {
	uint64_t magic; /* 0: nothing was shown yet */
	_Atomic uint64_t seq;
	int32_t pid;
	uint32_t srvid;
};

/* A kind of snapshots. */
struct ow_snapshot_kind {
	const char *name;
	uint64_t magic;
	size_t size;
};

/* For the server: its file, made if need be, with what the last process of its
 * id has left there. 0, -EPERM, -ENOSPC, -errno. */
int ow_snapshot_open(const struct ow_domain *d,
		     const struct ow_snapshot_kind *k, uint32_t srvid,
		     void *ret);
/* Around each change. */
void ow_snapshot_begin(struct ow_snapshot *p, const struct ow_snapshot_kind *k);
void ow_snapshot_end(struct ow_snapshot *p);
void ow_snapshot_close(struct ow_snapshot *p, const struct ow_snapshot_kind *k);

/* For onlookers: a copy of what server `srvid` shows, to be freed; NULL: there
 * is none, or its process is dead. */
void *ow_snapshot_read(const struct ow_domain *d,
		       const struct ow_snapshot_kind *k, uint32_t srvid);

#endif
