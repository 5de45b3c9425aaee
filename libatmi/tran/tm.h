/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tm.h - what a tmsrv is asked, and the numbers and names of transactions
 *
 * A question and its answer are CARRAY buffers with one struct ow_tm. The
 * service is found from the number of the transaction, which names its tmsrv.
 */
#ifndef OW_TM_H
#define OW_TM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xa.h>

#include "libatmi/base/clock.h"

#define OW_TM_MAGIC    0x4d54574fu
#define OW_TM_FORMATID 0x4f574b31L /* of our XIDs: "OWK1" */
#define OW_TM_GTRID    16
#define OW_TM_BQUAL    8

/* The number of a transaction: id of the resource manager of its tmsrv, id of
 * that server, a counter that it never uses twice. */
#define OW_TM_NUMBER_BITS 40
#define OW_TM_RMID(tran)  ((unsigned int)((tran) >> 56))
#define OW_TM_SRVID(tran) ((unsigned int)((tran) >> 40 & 0xffff))

enum ow_tm_op {
	/* the tmsrv of the transaction */
	OW_TM_BEGIN = 1, /* timeout_ms; JOIN: with a branch of rmid */
	OW_TM_JOIN,	 /* a branch of rmid */
	OW_TM_DOOM,	 /* rollback only */
	OW_TM_COMMIT,
	OW_TM_ABORT,
	OW_TM_STATUS,	    /* is it known? */
	OW_TM_ORDER_COMMIT, /* of an operator: end it now */
	OW_TM_ORDER_ABORT,
	OW_TM_FORGET, /* of an operator: a heuristic outcome is settled */
	OW_TM_LIST,   /* the answer is text */
	/* any tmsrv of the resource manager: one branch; `result` is what XA
	 * returned */
	OW_TM_BRANCH_PREPARE,
	OW_TM_BRANCH_COMMIT,
	OW_TM_BRANCH_COMMIT_ONE, /* without prepare */
	OW_TM_BRANCH_ROLLBACK,
	OW_TM_BRANCH_FORGET,
	OW_TM_BRANCH_LIST, /* prepared ones, as text */
	/* the tmsrv of the transaction again; nobody waits for an answer */
	OW_TM_PREPARED, /* the branch was prepared as it ended */
	/* of other nodes, struct ow_tm_remote: remote.h. The superior's
	 * tmsrv */
	OW_TM_ENLIST, /* a node gets a branch */
	OW_TM_CHECK,  /* has this node to do with the transaction? */
	OW_TM_REMOTE_STATUS,
	/* the subordinate's */
	OW_TM_ADOPT,	   /* begin it */
	OW_TM_SUB_PREPARE, /* `result` as of a branch */
	OW_TM_SUB_COMMIT,
	OW_TM_SUB_ROLLBACK,
	OW_TM_SUB_FORGET,
	OW_TM_OP_END
};

/* Answers to the first group. */
enum ow_tm_result {
	OW_TM_OK = 0,
	OW_TM_UNKNOWN,	/* no such transaction: it is not committed */
	OW_TM_ENDING,	/* it takes no branch any more */
	OW_TM_COMMITTED,
	OW_TM_ABORTED,
	OW_TM_MIXED,  /* some branches have decided by themselves, otherwise */
	OW_TM_HAZARD, /* perhaps */
	OW_TM_NOSPACE, /* the log cannot grow */
	OW_TM_LOOP, /* the node has a part already, above this one */
};

/* Instead of what XA returned for a branch: its tmsrv is not there; it was asked,
 * and did not answer. */
#define OW_TM_NOT_SENT	(-101)
#define OW_TM_NO_ANSWER (-102)

/* Bits of `flags`. */
enum {
	OW_TM_WITH_BRANCH = 1, /* BEGIN: and JOIN */
	OW_TM_OWN_BRANCH = 2,  /* JOIN: a branch of its own */
	OW_TM_NEW_BRANCH = 4,  /* answer: nobody else has it */
	OW_TM_LOGGED = 8, /* COMMIT: answer when the decision is on disk;
			     ABORT: at once */
	OW_TM_HERE_PREPARED = 16, /* COMMIT: as PREPARED says */
	OW_TM_SHARED = 64, /* COMMIT, ABORT: other contexts may hold it, too */
	OW_TM_HAS_BEGUN = 128, /* DOOM, COMMIT, ABORT: rmid, branch: it is or
				  was there */
	OW_TM_RESERVE = 256, /* COMMIT, ABORT: give the number of the next one,
				of timeout_ms, for a client of `rmid` (0:
				none); with WITH_BRANCH a branch, too */
	OW_TM_RESERVED = 512, /* its answer: `tran`, `branch`, timeout_ms are
				 of the next one; `rmid` is not */
	OW_TM_UNUSED = 1024, /* BEGIN, ABORT: `tran` was given so, and never
				begun */
	OW_TM_MAY_BE_LAST = 2048, /* JOIN: the branch may be the last
				     resource */
	OW_TM_IS_LAST = 4096, /* answer: it is, and timeout_ms is what is left
				 of the transaction; BRANCH_*: it is one */
	OW_TM_OLD_BRANCH = 8192, /* JOIN, answer: who was given it has begun it
				    by now, or never will */
	OW_TM_VOTED = 16384, /* answer to STATUS: a branch that is not prepared
				will not be, nor committed */
	OW_TM_BACK = 32, /* answer to ENLIST: the node is that of the superior,
			    whose number is `sub`: the call is of that one */
};

/* Who was given a new branch begins it within half of this time, or asks again
 * afterwards; for so long a tmsrv that rolls it back and does not find it
 * repeats that. */
#define OW_TM_LATE_NS (1000 * OW_NS_PER_MS)

/* Who joins a branch that another process was given waits so long for it to
 * begin. */
#define OW_TM_BEGIN_NS (2 * OW_NS_PER_SEC)

/* A number that was given ahead is begun within this time after the question
 * that brought it, or never. */
#define OW_TM_RESERVE_NS (1000 * OW_NS_PER_MS)

struct ow_tm {
	uint32_t magic;
	uint32_t op;
	uint64_t tran;
	uint64_t identity; /* of the log of its tmsrv */
	uint32_t rmid, branch;
	uint32_t flags;
	int32_t result;
	union {
		uint64_t timeout_ms;
		int64_t log; /* JOIN, DOOM, ENLIST, if `identity` is not known:
				the mark that came with the number; 0: none */
	};
};

/* A log by fewer bits, beside the number of a transaction in what bridges say; 0:
 * not said. */
static inline uint32_t ow_tm_log_mark(uint64_t identity)
{
	uint32_t mark = (uint32_t)(identity ^ identity >> 32);

	return identity == 0 || mark != 0 ? mark : 1;
}

/* The same in a request of this node: below 0, so no tperrno (wire/msg.h). */
static inline int32_t ow_tm_request_mark(uint64_t identity)
{
	return identity == 0
		       ? 0
		       : (int32_t)(ow_tm_log_mark(identity) | 0x80000000u);
}

/* The XID of a branch; branch 0 of rmid 0: of the transaction as a whole. */
void ow_tm_xid(uint64_t identity, uint64_t tran, uint32_t rmid,
	       uint32_t branch, XID *ret);
/* The counterpart: false, it is none of ours. */
bool ow_tm_read_xid(const XID *xid, struct ow_tm *ret);

/* Names of services: of any tmsrv (rmid 0), of any of a resource manager, of
 * the tmsrv of a transaction on node `node`. */
#define OW_TM_SERVICE 32
void ow_tm_service(unsigned int rmid, char to[OW_TM_SERVICE]);
void ow_tm_service_of(long node, uint64_t tran, char to[OW_TM_SERVICE]);

/* The result of a branch: "XAER_NOTA", "not reached". */
const char *ow_tm_word(int result);

/* Is it a question (or an answer)? */
bool ow_tm_is(const char *data, long len);
/* Ask, as call/system.h does: 0, and *m is the answer; -1 with tperrno. Leaves
 * the time-out of the next call alone, too. */
int ow_tm_ask(const char *svc, struct ow_tm *m);
/* The same for a list: *ret_text is malloc'ed; NULL: no memory. */
int ow_tm_ask_text(const char *svc, struct ow_tm *m, char **ret_text);
/* The same, of the tmsrv of m->tran. */
int ow_tm_ask_owner(struct ow_tm *m);
/* Others wait while this process asks an owner: one that has not answered for so
 * long is silent (TPETIME), and not asked for as long again. Before it asks. */
void ow_tm_be_brief(uint64_t patience_ns);
/* The same; -1 with *ret_sent false: it certainly has not got the question. */
int ow_tm_try_owner(struct ow_tm *m, bool *ret_sent);
/* Tell it; the message is lost if there is no room for it. tperrno stays. */
void ow_tm_tell_owner(struct ow_tm *m);

#endif
