/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture.h - what a server shows of its own work to onlookers
 *
 * One file for each server, `<shm>/<prefix>,shm/KIND.<server id>`. The server
 * alone writes it, some times a second; onlookers read it. A reader takes a
 * copy and compares `seq` before and after: odd or changed, it reads again. A
 * killed server leaves its file: readers see that its process is dead, and the
 * next server with the id takes it over. It goes with the domain's folder.
 *
 * A picture is a struct that begins with struct ow_picture. It has no pointers,
 * and its size belongs to its layout.
 */
#ifndef OW_PICTURE_H
#define OW_PICTURE_H

#include <stddef.h>
#include <stdint.h>

struct ow_domain;

struct ow_picture {
	uint64_t magic; /* 0: nothing was shown yet */
	_Atomic uint64_t seq;
	int32_t pid;
	uint32_t srvid;
};

/* A kind of pictures. */
struct ow_picture_kind {
	const char *name;
	uint64_t magic;
	size_t size;
};

#pragma GCC visibility push(default)

/* For the server: its file, made if need be, with what the last process of its
 * id has left there. 0, -EPERM, -ENOSPC, -errno. */
int ow_picture_open(const struct ow_domain *d, const struct ow_picture_kind *k,
		    uint32_t srvid, void *ret);
/* Around each change. */
void ow_picture_begin(struct ow_picture *p, const struct ow_picture_kind *k);
void ow_picture_end(struct ow_picture *p);
void ow_picture_close(struct ow_picture *p, const struct ow_picture_kind *k);

/* For onlookers: a copy of what server `srvid` shows, to be freed; NULL: there
 * is none, or its process is dead. */
void *ow_picture_read(const struct ow_domain *d,
		      const struct ow_picture_kind *k, uint32_t srvid);

#pragma GCC visibility pop
#endif
