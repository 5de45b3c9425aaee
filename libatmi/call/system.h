/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.h - what the library itself asks a server: tmsrv, tmqueue, tpevsrv, a
 * bridge, the service of logins
 *
 * Such a call is not the program's. What the program has set for its next
 * request (tpsprio()), tpgprio() and tpurcode stay as they are; the time limit
 * is what the caller says, so a public function that takes part of the time
 * of tpsblktime() reads it itself (timeout.h). The reply of a call that is
 * given up is dropped: the program never meets it.
 *
 * A question is sent in pieces, without a copy of them; the answer is read
 * where it was received.
 */
#ifndef OW_SYSTEM_H
#define OW_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libatmi/transport/envelope.h"

struct ow_ctx;

#define OW_SYSTEM_PIECES 6 /* a head, three texts, a content: unsol/remote.c */

struct ow_system_call {
	const char *svc;
	long flags; /* TPNOTRAN, TPSIGRSTRT, TPNOBLOCK */
	uint64_t deadline;
	bool vouched; /* this process answers for it (msg.h) */
	unsigned int n;
	struct iovec piece[OW_SYSTEM_PIECES]; /* one CARRAY, sent so */
	/* while it waits */
	int cd;
	uint64_t begin_ns;
};

/* Valid until ow_system_done(). */
struct ow_system_answer {
	const char *data; /* of `len` bytes; NULL: none */
	size_t len;
	int64_t urcode;
	struct ow_envelope *reply; /* NULL: there is none */
	int cd;
};

enum ow_system_result {
	OW_SYSTEM_SIGNAL = 1, /* a signal came; the call goes on */
};

/* Add memory, which stays in place until the call is sent. */
static inline void ow_system_add(struct ow_system_call *q, const void *data,
				 size_t len)
{
	q->piece[q->n++] = (struct iovec){ .iov_base = (void *)(uintptr_t)data,
					   .iov_len = len };
}

/* Add what is sent of a typed buffer, as it travels: two pieces. */
static inline void ow_system_add_content(struct ow_system_call *q,
					 const struct ow_content *k)
{
	ow_system_add(q, k->subtype, k->sub_len);
	ow_system_add(q, k->payload.data, k->payload.len);
}

/* Ask and wait: 0; -1 with tperrno (TPESVCFAIL: ret->urcode is set). TPESVCERR,
 * TPETIME, TPESYSTEM, and TPGOTSIG (a signal ends the wait unless TPSIGRSTRT): it
 * was perhaps sent, and what was done is not known.
 * ow_system_done() follows each outcome. */
int ow_system_call(struct ow_ctx *c, struct ow_system_call *q,
		   struct ow_system_answer *ret);
void ow_system_done(struct ow_ctx *c, struct ow_system_answer *a);
/* Send without wanting an answer: 0, or -1 with tperrno. */
int ow_system_tell(struct ow_ctx *c, struct ow_system_call *q);

/* ---- in steps, for who asks something else while it waits ---- */

/* 0, or -1 with tperrno. ow_system_await() or ow_system_drop() follows a
 * success. */
int ow_system_send(struct ow_ctx *c, struct ow_system_call *q);
/* 0; SIGNAL, if `signals`: ow_system_await() or ow_system_drop() follows; -1
 * with tperrno, as ow_system_call(). */
int ow_system_await(struct ow_ctx *c, struct ow_system_call *q, bool signals,
		    struct ow_system_answer *ret);
void ow_system_drop(struct ow_ctx *c, struct ow_system_call *q);

#endif
