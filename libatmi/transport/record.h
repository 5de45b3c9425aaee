/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - requests on record in blocks
 *
 * A request that a process has in hand is on record if its caller gets an
 * answer although the process is killed. A block that is TAKEN (block.h) and
 * holds the header of a request is such a record: when its owner is dead, any
 * process that sweeps the store refuses the request. On shm the block of the
 * message itself is the record. On posix a server has its receive slot; a
 * process that drains a queue receives into a block.
 *
 * A refusal is postponed when the reply queue of the caller is full: the block
 * is left to no process, so the next sweep tries again. ndrxd sweeps once a
 * second. The caller itself finds `postponed` set in its slot when it has
 * taken a reply, or waits, and sweeps at once.
 */
#ifndef OW_RECORD_H
#define OW_RECORD_H

#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"

#pragma GCC visibility push(default)

/* An operation drain_into(): an empty envelope whose room is a block, TAKEN by
 * this process. 0, -ENOSPC, -errno. */
int ow_record_open(struct ow_domain *d, struct ow_envelope *e);
/* An operation postpone(), for an envelope of ow_record_open(), or any other:
 * then a record is made of its header. */
void ow_record_postpone(struct ow_domain *d, struct ow_envelope *e);

/*
 * The sweep has found the TAKEN block `o`, whose request is `m`: refuse it and
 * free the block and the payload, or postpone the refusal. `m` was checked. Of
 * several processes that try one succeeds: it claims the block before it
 * refuses, so that a server that takes the request meanwhile keeps it.
 */
void ow_record_refuse(struct ow_domain *d, const struct ow_orphan *o,
		      const struct ow_msg *m, ow_refuse_fn *refuse);
/* The same for a block of ow_record_open(), whatever it holds. */
void ow_record_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		       ow_refuse_fn *refuse);
/* Refusals for this client wait for room in its reply queue. */
void ow_record_tell(struct ow_domain *d, const struct ow_msg *m);

#pragma GCC visibility pop
#endif
