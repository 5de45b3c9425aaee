/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - write what onlookers see of this tmqueue
 * (libatmi/durable/snapshot.h)
 *
 * By the engine's thread, at most ten times a second. Without shared memory for
 * it nothing is shown, and the queues go on.
 */
#ifndef OW_TMQUEUE_SNAPSHOT_H
#define OW_TMQUEUE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snapshot;
struct space;

/* NULL: it cannot be shown. */
struct snapshot *snapshot_open(const struct space *sp, uint32_t srvid);
struct snapshot *snapshot_close(struct snapshot *s);
/* Where the files of server `srvid` are, if it shows that; else "?". */
void snapshot_path(const struct space *sp, uint32_t srvid, char *path,
		   size_t size);

/* The engine has been at work, and has perhaps changed something. */
void snapshot_worked(struct snapshot *s, bool changed);
/* Show the queues, if something has changed and it is time. No transaction of
 * the store is open. */
void snapshot_look(struct snapshot *s, struct space *sp, uint64_t now);
/* When snapshot_look() has something to do; 0: never. */
uint64_t snapshot_next(const struct snapshot *s);

#endif
