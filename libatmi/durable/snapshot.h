/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - what a tmqueue shows of its queues
 *
 * A snapshot (domain/snapshot.h), written by its engine some times a second.
 * The figures of queues are those of the data base, and outlive the domain.
 */
#ifndef OW_DURABLE_SNAPSHOT_H
#define OW_DURABLE_SNAPSHOT_H

#include <stdint.h>

#include "libatmi/domain/snapshot.h"

#define OW_MQ_SNAPSHOT_MAX 512u

/* Bits of `flags`. */
enum {
	OW_MQ_SNAPSHOT_AUTOMATIC = 1,
	OW_MQ_SNAPSHOT_IMPLIED = 2,  /* not in q.conf: as the queue @ says */
	OW_MQ_SNAPSHOT_TRANSACT = 8, /* `dequeued` has what it has forwarded */
	OW_MQ_SNAPSHOT_FAILURES = 4, /* it gets what other queues give up */
};

struct ow_mq_snapshot_queue {
	char name[16];
	uint32_t flags;
	uint32_t waiting; /* consumers */
	uint64_t queued; /* messages, all states */
	uint64_t locked; /* of them: in transactions, with a service */
	uint64_t bytes;
	uint64_t enqueued, dequeued, succeeded, failed; /* so far */
	uint64_t since_ns; /* wall clock: when the first message came that can
			      be taken; 0: there is none */
};

struct ow_mq_snapshot {
	struct ow_snapshot head;
	uint32_t n, full; /* n: entries of `queue`; full: the disk is */
	char space[16];
	char path[256]; /* of its data base */
	uint64_t syncs;
	struct ow_mq_snapshot_queue queue[OW_MQ_SNAPSHOT_MAX];
};

extern const struct ow_snapshot_kind ow_mq_snapshot_kind;

#endif
