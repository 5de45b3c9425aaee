/* SPDX-License-Identifier: Apache-2.0 */
/*
 * await.c - wait for the reply to a call
 */
#include "libatmi/call/await.h"

#include <pthread.h>
#include <stdatomic.h>

#include "libatmi/base/atomics.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/share.h"
#include "libatmi/call/svcq.h"
#include "libatmi/converse/ends/take.h"
#include "libatmi/domain/wait_note.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/waking/yield.h"

/* Refusals and replies may have found this mailbox full (record.h). */
static void take_postponed(struct ow_ctx *c)
{
	if (ow_load_relaxed(&c->clt->postponed) != 0)
		ow_reap_postponed(c->dom, c->clt);
}

/* A message that is no call's goes to its conversation, or is dropped and
 * counted. True: it is the next one of `conv`, and still in c->in. */
static bool take_conv(struct ow_ctx *c, const struct ow_conv *conv)
{
	int r = OW_CONV_LATE;

	if (c->convs != NULL)
		r = ow_convs_take(c->convs, &c->in, conv);
	else
		ow_envelope_close(&c->in);
	if (c->share != NULL && r != OW_CONV_DIRECT)
		ow_share_kept(c->share, OW_SHARE_CONV);
	if (r == OW_CONV_LATE)
		ow_count_shared(&c->clt->late, 1);
	return r == OW_CONV_DIRECT;
}

/* A receive had result `r`, and the message is no reply. 0: no call's. */
static int take_other(struct ow_ctx *c, int r)
{
	if (r != OW_QUEUE_GARBAGE && c->in.head->kind == OW_MSG_CONV) {
		take_conv(c, NULL);
		return 0;
	}
	if (r != OW_QUEUE_GARBAGE && c->in.head->kind == OW_MSG_NOTICE) {
		ow_envelope_close(&c->in);
		if (c->listener != NULL)
			c->listener->look(c);
		return 0;
	}
	ow_count_shared(&c->dom->tables->head->garbage, 1);
	ow_envelope_close(&c->in);
	return 0;
}

/* A receive had result `r`. The descriptor of the call to which the message
 * belongs; 0: none, the message was dropped and counted. */
static int match(struct ow_ctx *c, int r)
{
	const struct ow_msg *m = c->in.head;
	struct ow_call *call;

	if (r == OW_QUEUE_GARBAGE || m->kind != OW_MSG_REPLY)
		return take_other(c, r);
	call = ow_call_find(c, m->cd);
	if (call != NULL && call->state == OW_CALL_WAITING &&
	    call->seq == m->seq && m->clt_slot == c->slot &&
	    m->clt_gen == c->gen)
		return m->cd;
	take_conv(c, NULL);
	return 0;
}

/* The reply of `cd` is kept for whoever fetches it. */
static void keep(struct ow_ctx *c, int cd)
{
	ow_call_keep(c, cd, &c->in);
	if (c->share != NULL)
		ow_share_kept(c->share, cd);
}

/* A receive, by one of the threads that share the context, if some do. */
static inline int receive(struct ow_ctx *c, int cd, uint64_t until)
{
	return c->share == NULL ? ow_queue_recv(c->replyq, &c->in, until)
				: ow_share_recv(c, cd, until);
}

/* Of a context that attends to other things while it waits: until when the
 * next wait lasts. */
static uint64_t before_wait(struct ow_ctx *c, uint64_t now_ns, uint64_t until)
{
	if (c->listener != NULL)
		c->listener->arm(c);
	return ow_deadline_clamp(until, now_ns + OW_CTX_ATTEND_NS);
}

/* Has the service in whose queue call `cd` was put no living server, and nobody
 * to start one? */
static bool is_forsaken(const struct ow_ctx *c, int cd)
{
	const struct ow_tables *t = c->dom->tables;
	uint32_t id, row, svc = c->calls[cd].svc;

	if (svc == 0 || ow_await_is_reasonable(t))
		return false;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		for (row = 0; row < atomic_load(&t->srv[id].nadv); row++)
			if (ow_tables_row_svc(t, id, row) == svc &&
			    ow_srv_alive(t, id))
				return false;
	return true;
}

/* A wait without a deadline ends if all calls for which the caller waits are
 * forsaken: `cd`, or (0) any. */
static bool gives_up(const struct ow_ctx *c, int cd, uint64_t deadline)
{
	int i, n = 0;

	if (deadline != OW_DEADLINE_NEVER)
		return false;
	for (i = cd != 0 ? cd : 1; i < (cd != 0 ? cd + 1 : c->ncalls); i++) {
		if (c->calls[i].state != OW_CALL_WAITING)
			continue;
		if (!is_forsaken(c, i))
			return false;
		n++;
	}
	if (n == 0)
		return false;
	log_error("a call without time-out is given up: no server of its "
		  "service runs, nor does ndrxd, which would start one: "
		  "`xadmin idle`");
	return true;
}

/* Onlookers want to know what this context waits for: call `cd`, or (0) the first
 * of several. */
static void note_wait(struct ow_ctx *c, int cd, uint64_t since_ns,
		      uint64_t deadline)
{
	struct ow_wait_reply w = {
		.since_ns = since_ns,
		.deadline_ns = deadline,
		.any = cd == 0 && c->outstanding > 1,
	};

	for (; cd == 0 || c->calls[cd].state != OW_CALL_WAITING; cd++)
		if (cd + 1 >= c->ncalls)
			return;
	w.svc = c->calls[cd].svc;
	w.seq = c->calls[cd].seq;
	ow_wait_note_reply(c->clt, &w);
}

/*
 * A reply that takes long: perhaps the server that was woken for the request
 * was killed, stopped or held up. Nudge the queues of all services that this
 * context has called; less often the longer it takes. TIMEOUT when the
 * deadline itself has passed. Inlined twice, for who shares no context pays nothing
 * for those who do.
 */
static inline __attribute__((always_inline)) int
receive_slowly(struct ow_ctx *c, int cd, uint64_t now_ns, uint64_t deadline)
{
	const struct ow_waking *k = &c->dom->waking;
	uint64_t until, gap = k->nudge_ns, nudge_ns = now_ns + gap;
	uint64_t since_ns = now_ns;
	bool noted = false;
	int r;

	for (;;) {
		until = ow_deadline_clamp(deadline, nudge_ns);
		if (c->attend != NULL)
			until = before_wait(c, now_ns, until);
		r = receive(c, cd, until);
		if (r != OW_QUEUE_TIMEOUT || until == deadline) {
			if (noted)
				ow_wait_note_clear(c->clt);
			return r;
		}
		/* The one place where a thread is cancelled. Whoever called
		 * us owns nothing; the context goes with the thread. */
		pthread_testcancel();
		if (c->attend != NULL)
			c->attend();
		now_ns = ow_clock_mono_ns();
		if (now_ns < nudge_ns)
			continue;
		if (!noted)
			note_wait(c, cd, since_ns, deadline);
		noted = true;
		ow_svcq_nudge(c);
		take_postponed(c);
		if (gives_up(c, cd, deadline)) {
			ow_wait_note_clear(c->clt);
			return OW_QUEUE_TIMEOUT;
		}
		gap = ow_waking_nudge_gap(gap);
		nudge_ns = now_ns + gap;
	}
}

int ow_await_message(struct ow_ctx *c, uint64_t until,
		     const struct ow_conv *conv, bool *ret_direct)
{
	int cd, r;

	*ret_direct = false;
	take_postponed(c);
	r = receive(c, OW_SHARE_CONV, until);
	if (r == OW_SHARE_LOOK)
		return 0;
	if (r == 0 && c->in.head->kind == OW_MSG_CONV) {
		*ret_direct = take_conv(c, conv);
		return 0;
	}
	if (r != 0 && r != OW_QUEUE_GARBAGE)
		return r;
	cd = match(c, r);
	if (cd != 0)
		keep(c, cd);
	return 0;
}

int ow_await_take_in(struct ow_ctx *c)
{
	int cd, r;

	for (;;) {
		take_postponed(c);
		r = receive(c, 0, OW_DEADLINE_NOW);
		if (r == OW_QUEUE_EMPTY || r == OW_QUEUE_SIGNAL)
			return 0;
		if (r < 0)
			return r;
		cd = match(c, r);
		if (cd != 0)
			keep(c, cd);
	}
}

/* ---- where threads share the context ---- */

/* The call `cd` if its reply is kept; with 0 the first that is, and that no
 * other thread waits for alone. 0: none. */
static int find_kept(const struct ow_ctx *c, int cd)
{
	if (cd != 0)
		return c->calls[cd].state == OW_CALL_KEPT ? cd : 0;
	for (cd = c->kept_first; cd != 0; cd = c->calls[cd].next)
		if (!ow_share_is_awaited(c->share, cd))
			break;
	return cd;
}

/* A message was received: 0 with the call whose reply is in c->in and is this
 * thread's; else it is kept, or was no call's. */
static int take_own(struct ow_ctx *c, int r, int cd)
{
	int got = match(c, r);

	if (got == 0 || got == cd ||
	    (cd == 0 && !ow_share_is_awaited(c->share, got)))
		return got;
	keep(c, got);
	return 0;
}

/* Another thread may cancel the call meanwhile, or end its transaction: GONE. */
__attribute__((noinline)) static int
await_shared(struct ow_ctx *c, int cd, uint64_t now_ns, uint64_t deadline,
	     int *ret_cd, struct ow_envelope **ret)
{
	uint64_t seq = c->calls[cd].seq; /* 0 is never given out */
	int r;

	for (;;) {
		if (cd != 0 && (c->calls[cd].state == OW_CALL_FREE ||
				c->calls[cd].seq != seq))
			return OW_SHARE_GONE;
		*ret_cd = find_kept(c, cd);
		*ret = &c->calls[*ret_cd].reply;
		if (*ret_cd != 0)
			return 0;
		take_postponed(c);
		r = deadline == OW_DEADLINE_NOW
			? receive(c, cd, deadline)
			: receive_slowly(c, cd, now_ns, deadline);
		if (r == OW_SHARE_LOOK)
			continue;
		if (r != 0 && r != OW_QUEUE_GARBAGE)
			return r;
		*ret_cd = take_own(c, r, cd);
		*ret = &c->in;
		if (*ret_cd != 0)
			return 0;
	}
}

int ow_await_reply(struct ow_ctx *c, int cd, uint64_t now_ns,
		   uint64_t deadline, int *ret_cd, struct ow_envelope **ret)
{
	int got, r;

	if (c->share != NULL)
		return await_shared(c, cd, now_ns, deadline, ret_cd, ret);
	if (cd == 0 && c->kept_first != 0)
		cd = c->kept_first;
	if (cd != 0 && c->calls[cd].state == OW_CALL_KEPT) {
		*ret_cd = cd;
		*ret = &c->calls[cd].reply;
		return 0;
	}
	for (;;) {
		take_postponed(c);
		r = deadline == OW_DEADLINE_NOW
			? ow_queue_recv(c->replyq, &c->in, deadline)
			: receive_slowly(c, cd, now_ns, deadline);
		if (r != 0 && r != OW_QUEUE_GARBAGE)
			return r;
		got = match(c, r);
		if (got == 0)
			continue;
		if (cd == 0 || got == cd) {
			*ret_cd = got;
			*ret = &c->in;
			return 0;
		}
		ow_call_keep(c, got, &c->in);
	}
}
