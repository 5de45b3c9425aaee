/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - what tmsrv of different nodes say to each other
 *
 * A transaction that was begun at one node has, at each other node where it
 * works, a subordinate transaction: a number of a tmsrv there, to which servers
 * join as to any. Its superior is the transaction by whose call it came to be.
 * doc/design/transactions.md, "Other nodes".
 *
 * A question is a CARRAY buffer with one struct ow_tm_remote. To a tmsrv of
 * this node it goes as any question; to one of another node by the service
 * OW_TM_REMOTE of the bridges. The answer begins with struct ow_tm.
 */
#ifndef OW_TM_REMOTE_H
#define OW_TM_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/tran/tm.h"

#define OW_TM_REMOTE "@TMABROAD"
#define OW_TM_DEPTH  8 /* nodes from the first one to a subordinate */

struct ow_tm_remote {
	struct ow_tm m; /* `tran`: number at the tmsrv that is asked */
	uint32_t node;	/* that it goes to; ENLIST: that gets a branch */
	uint32_t from;	/* that it comes from: the bridge there says so */
	uint64_t superior, identity; /* number, and log, of the superior */
	uint64_t sub, sub_identity;  /* ENLIST: the same of the subordinate; 0:
					not known. CHECK: sub is the mark of the
					log that is meant, or 0 */
	uint32_t path[OW_TM_DEPTH]; /* nodes from the first to the superior's; 0:
				       no more */
};

/* Is it such a question, for a tmsrv of another node? */
bool ow_tm_remote_is(const char *data, long len);
/* The service of a bridge that has a way to `node`; valid while *name is. */
const char *ow_tm_remote_service(uint32_t node, char (*name)[16]);
/* Ask `svc`, for at most `seconds`: 0, and *f is the answer; -1 with tperrno. */
int ow_tm_remote_ask(const char *svc, struct ow_tm_remote *f, int seconds);
/* The same, of the tmsrv of f->m.tran at this node. */
int ow_tm_remote_ask_owner(struct ow_tm_remote *f, int seconds);

#endif
