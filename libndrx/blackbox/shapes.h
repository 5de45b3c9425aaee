/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.h - the rows of each kind
 *
 * Each begins with its key. What a sample has as a struct of its own is kept as
 * that.
 */
#ifndef OW_BB_SHAPES_H
#define OW_BB_SHAPES_H

#include "libndrx/blackbox/rows.h"

struct ow_bb_domain {
	uint64_t key; /* 1 */
	uint8_t domain, ndrxd_stopped, ndrxd_expected;
	int32_t ndrxd_pid;
	uint64_t nodeid, mq_bytes, mq_limit, spins, spin_hits, spin_ns;
	struct ow_disk logs;
	char why[256], prefix[48];
};

struct ow_bb_service {
	uint64_t key; /* index */
	struct ow_seen_service v;
};

struct ow_bb_server {
	uint64_t key; /* server id of its slot */
	struct ow_seen_server v;
};

struct ow_bb_offer {
	uint64_t key; /* server id << 32 | row */
	struct ow_seen_offer v;
};

struct ow_bb_client {
	uint64_t key; /* slot */
	struct ow_seen_client v;
};

struct ow_bb_link {
	uint64_t key; /* server id << 40 | node << 32 | bridge */
	struct ow_seen_link v;
};

struct ow_bb_tm {
	uint64_t key; /* server id */
	uint32_t rmid;
	uint64_t count[OW_TM_COUNTS];
	uint64_t active, ending, heuristic, in_doubt, late_ns, strays,
	    stray_ns;
	int32_t log_error; /* errno of then; 0: it could write decisions */
	uint32_t silent_s;
};

struct ow_bb_tran {
	uint64_t key; /* its id */
	uint32_t tm;  /* server id */
	struct ow_tm_snapshot_tran v;
};

struct ow_bb_space {
	uint64_t key; /* server id */
	uint32_t full;
	char space[16];
};

struct ow_bb_queue {
	uint64_t key; /* server id << 32 | CRC of its name */
	struct ow_mq_snapshot_queue v;
};

struct ow_bb_route {
	uint64_t key; /* server id << 32 | CRC of method and path */
	struct ow_seen_route v;
};

#endif
