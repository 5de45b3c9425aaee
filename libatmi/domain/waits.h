/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.h - what requests of other nodes wait for, as bridges tell each other
 *
 * A snapshot (snapshot.h) of kind `waits`: for `xadmin calls --stuck`, which
 * follows a chain of calls over nodes. A bridge shows what the others have told
 * it, and what it has told them.
 * doc/design/observability.md, "Over nodes".
 */
#ifndef OW_WAITS_H
#define OW_WAITS_H

#include <stdint.h>

#include "libatmi/domain/snapshot.h"

#define OW_WAITS_OUTS  4u  /* requests for which one waits; more: in doubt */
#define OW_WAITS_CALLS 64u /* told by one bridge */
#define OW_WAITS_SHOWN 512u
#define OW_WAITS_OLD_MS 1000u /* a call that is younger asks for nothing */
/* What was told longer ago proves no deadlock. */
#define OW_WAITS_BELIEVED_MS 3000u

struct ow_domain;

enum ow_waits_state {
	OW_WAITS_DOUBT = 0, /* it can go on, or that is not known */
	OW_WAITS_OTHERS,    /* it is finished only after one of `out` is; with
			       none of these: not before a time-out */
};

/* A request that has come from another node, as its bridge here tells it. Also
 * the form on the wire: sizes are part of the protocol. */
struct ow_waits_call {
	uint8_t id[8];	/* the request at the node that has sent it */
	uint32_t from;	/* that node */
	uint32_t state; /* enum ow_waits_state */
	uint32_t outs, pad;
	uint8_t out[OW_WAITS_OUTS][8]; /* ids of requests that were sent on, to
					  other nodes */
	uint8_t next[8]; /* the one at which `why` ends; 0: none */
	char why[208];	 /* as ow_calls_why() says it, with its NUL */
};

struct ow_waits_told {
	uint32_t node, bridge; /* who has told it: also this bridge itself */
	uint64_t told_ns;      /* monotonic, here */
	struct ow_waits_call call;
};

struct ow_waits_snapshot {
	struct ow_snapshot head;
	uint32_t told_n, pad; /* entries that follow */
	struct ow_waits_told told[OW_WAITS_SHOWN];
};

/* For the bridge: its file, made if need be. 0, -EPERM, -ENOSPC, -errno. */
int ow_waits_open(const struct ow_domain *d, uint32_t srvid,
		  struct ow_waits_snapshot **ret);
/* Around each change. */
void ow_waits_begin(struct ow_waits_snapshot *p);
void ow_waits_end(struct ow_waits_snapshot *p);
void ow_waits_close(struct ow_waits_snapshot *p);
/* For onlookers: a copy of what bridge `srvid` shows, to be freed; NULL: there
 * is none, or its process is dead. */
struct ow_waits_snapshot *ow_waits_read(const struct ow_domain *d,
					uint32_t srvid);

#endif
