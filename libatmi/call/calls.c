/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the descriptors of a context's calls
 */
#include "libatmi/call/calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/cache/ask.h"
#include "libatmi/call/context.h"
#include "libatmi/span/note.h"
#include "libatmi/span/ring.h"

__attribute__((noinline, cold)) static int grow_calls(struct ow_ctx *c)
{
	int n = c->ncalls == 0 ? 64 : c->ncalls * 2;
	struct ow_call *p;

	if (c->ncalls == OW_CD_MAX)
		return -1;
	if (n > OW_CD_MAX)
		n = OW_CD_MAX;
	p = realloc(c->calls, (size_t)n * sizeof(*p));
	if (p == NULL)
		return -1;
	memset(p + c->ncalls, 0, (size_t)(n - c->ncalls) * sizeof(*p));
	c->calls = p;
	c->ncalls = n;
	return 0;
}

/* A free descriptor near next_cd; 0 is never given out. */
static int find_free(struct ow_ctx *c)
{
	int i, cd;

	if (c->outstanding >= c->ncalls - 1 && grow_calls(c) != 0)
		return 0;
	for (i = 0, cd = c->next_cd; i <= c->ncalls; i++, cd++) {
		if (cd >= c->ncalls)
			cd = 1;
		if (cd != 0 && c->calls[cd].state == OW_CALL_FREE)
			return cd;
	}
	return 0;
}

/* This context alone writes the word. */
static void publish_outstanding(struct ow_ctx *c)
{
	atomic_store_explicit(&c->clt->outstanding, (uint32_t)c->outstanding,
			      memory_order_relaxed);
}

int ow_call_new(struct ow_ctx *c, uint64_t *ret_seq)
{
	int cd = find_free(c);
	struct ow_call *call;

	if (cd == 0)
		return 0;
	call = &c->calls[cd];
	c->next_cd = cd + 1;
	call->state = OW_CALL_WAITING;
	call->seq = ++c->next_seq;
	call->deadline = OW_DEADLINE_NEVER;
	call->tran = 0;
	c->outstanding++;
	publish_outstanding(c);
	*ret_seq = call->seq;
	return cd;
}

static inline struct ow_call *find(struct ow_ctx *c, int cd)
{
	if (cd <= 0 || cd >= c->ncalls || c->calls[cd].state == OW_CALL_FREE)
		return NULL;
	return &c->calls[cd];
}

struct ow_call *ow_call_find(struct ow_ctx *c, int cd)
{
	return find(c, cd);
}

bool ow_call_known(const struct ow_ctx *c, int cd)
{
	return cd > 0 && cd < c->ncalls && c->calls[cd].seq != 0;
}

/* In place of a reply for which there is no memory: whoever waits for it would
 * wait for ever. Nobody writes to it. */
static void keep_error(struct ow_envelope *to, struct ow_envelope *from)
{
	static char why[] = "no memory to keep the reply: what was done is not "
			    "known";
	static struct ow_msg error = { .kind = OW_MSG_REPLY,
				       .buftype = OW_BUF_CARRAY,
				       .flags = OW_MSG_CAUSE,
				       .tperr = TPEOS,
				       .len = sizeof(why) - 1 };

	ow_envelope_init(to, &error, sizeof(error), from->blocks);
	to->payload.data = why;
	to->payload.len = sizeof(why) - 1;
	ow_envelope_close(from);
}

void ow_call_keep(struct ow_ctx *c, int cd, struct ow_envelope *e)
{
	struct ow_call *call = &c->calls[cd];

	if (ow_envelope_keep(&call->reply, e) != 0)
		keep_error(&call->reply, e);
	call->state = OW_CALL_KEPT;
	call->next = 0;
	call->prev = c->kept_last;
	if (c->kept_last != 0)
		c->calls[c->kept_last].next = cd;
	else
		c->kept_first = cd;
	c->kept_last = cd;
}

static void unlink_kept(struct ow_ctx *c, struct ow_call *call)
{
	if (call->prev != 0)
		c->calls[call->prev].next = call->next;
	else
		c->kept_first = call->next;
	if (call->next != 0)
		c->calls[call->next].prev = call->prev;
	else
		c->kept_last = call->prev;
}

/* What no call's span has stays 0. */
__attribute__((noinline, cold)) static struct ow_call_more *
make_more(struct ow_call *call)
{
	call->more = calloc(1, sizeof(*call->more));
	return call->more;
}

struct ow_call_more *ow_call_need_more(struct ow_ctx *c, struct ow_call *call)
{
	struct ow_call_more *m = c->spare;

	if (call->more != NULL)
		return call->more;
	if (m == NULL)
		return make_more(call);
	c->spare = NULL;
	m->span.kind = OW_SPAN_NONE; /* it is that of an earlier call */
	m->chosen = false;
	call->more = m;
	return m;
}

/* What is said of a call at its end only. */
static inline void finish(const struct ow_ctx *c, struct ow_call_more *more,
			  int tperr)
{
	static const uint8_t none[8];
	struct ow_span *s = &more->span;

	s->tperr = tperr;
	s->srvid = c->srvid;
	if (s->srvid != 0 && s->kind != OW_SPAN_HOP &&
	    memcmp(s->parent, none, sizeof(none)) != 0)
		ow_span_id_served(s->parent, s->parent);
	if (more->svc != 0) /* its last byte is 0 */
		memcpy(s->name, c->dom->tables->svc[more->svc - 1].name,
		       sizeof(s->name));
}

/* A call has ended that was chosen: nothing is left to be asked. */
__attribute__((noinline)) static void
note_direct(const struct ow_ctx *c, struct ow_call_more *more, int tperr,
	    struct ow_span_ring *r)
{
	struct ow_span *s = ow_span_ring_claim(r);

	if (s == NULL)
		return;
	more->span.end_ns = ow_clock_mono_ns();
	finish(c, more, tperr);
	*s = more->span;
	ow_span_ring_fill(s);
}

/* The same of one that was chosen, or has failed, or may have been slow: only then
 * the rest is said of its span (ow_traced_sent()), and the clock read. */
__attribute__((noinline)) static void
note_span(const struct ow_ctx *c, struct ow_call_more *more, int tperr)
{
	struct ow_span *s = &more->span;

	s->end_ns = 0;
	if (!more->chosen && (tperr == 0 || tperr == OW_SPAN_DROPPED)) {
		if (!ow_span_is_slow(UINT64_MAX))
			return;
		s->end_ns = ow_clock_mono_ns();
		if (!ow_span_is_slow(s->end_ns - s->begin_ns))
			return;
	}
	finish(c, more, tperr);
	ow_span_note(s);
}

__attribute__((noinline)) static void
end_worthy(struct ow_ctx *c, struct ow_call_more *m, int tperr)
{
	if (m->span.kind != OW_SPAN_NONE)
		note_span(c, m, tperr);
	if (m->wish != NULL)
		ow_cache_wish_free(m->wish);
	m->wish = NULL;
	if (c->spare == NULL)
		c->spare = m;
	else
		free(m);
}

/* Each call comes here while spans are noted: those that are chosen are written into
 * the ring, for most of the others there is nothing to do. */
__attribute__((noinline)) static void
end_more(struct ow_ctx *c, struct ow_call *call, int tperr)
{
	struct ow_call_more *m = call->more;
	struct ow_span_ring *r = ow_load_relaxed(&ow_span_direct);

	call->more = NULL;
	if (call->state == OW_CALL_KEPT)
		tperr = call->reply.head->tperr;
	if (m->wish != NULL || c->spare != NULL)
		return end_worthy(c, m, tperr);
	if (m->chosen ? r == NULL
		      : tperr != 0 || ow_span_is_slow(UINT64_MAX))
		return end_worthy(c, m, tperr);
	c->spare = m;
	if (m->chosen)
		return note_direct(c, m, tperr, r);
}

void ow_call_drop(struct ow_ctx *c, int cd)
{
	struct ow_call *call = find(c, cd);

	if (call == NULL)
		return;
	if (call->more != NULL)
		end_more(c, call, tperrno);
	if (call->state == OW_CALL_KEPT) {
		unlink_kept(c, call);
		ow_envelope_close(&call->reply);
	}
	call->state = OW_CALL_FREE;
	c->outstanding--;
	publish_outstanding(c);
}

void ow_call_abandon(struct ow_ctx *c, int cd)
{
	struct ow_call *call = find(c, cd);

	if (call != NULL && call->more != NULL)
		end_more(c, call, OW_SPAN_DROPPED);
	ow_call_drop(c, cd);
}

/* Forget interrupted call number `i`. Its descriptor may be another call's by
 * now: the program has fetched the reply. Else nobody will know what has become
 * of it. */
static void forget(struct ow_ctx *c, uint32_t i)
{
	struct ow_interrupted *p = &c->interrupted[i];
	struct ow_call *call = ow_call_find(c, p->cd);
	bool lost = false;

	if (call != NULL && call->seq == p->seq) {
		lost = ow_call_is_of(c, p->cd, c->tran);
		ow_call_abandon(c, p->cd);
	}
	c->n_interrupted--;
	memmove(p, p + 1, (c->n_interrupted - i) * sizeof(*p));
	if (lost)
		c->tran_hooks->call_failed(c, TPETIME, OW_CALL_LOST);
}

void ow_call_expire(struct ow_ctx *c, uint64_t now)
{
	uint32_t i = 0;

	while (i < c->n_interrupted)
		if (ow_deadline_passed(c->interrupted[i].deadline, now))
			forget(c, i);
		else
			i++;
}

void ow_call_interrupted(struct ow_ctx *c, int cd, uint64_t deadline)
{
	if (c->n_interrupted == OW_INTERRUPTED)
		forget(c, 0);
	c->interrupted[c->n_interrupted++] = (struct ow_interrupted){
		.cd = cd, .seq = c->calls[cd].seq, .deadline = deadline
	};
}

int ow_call_overdue(struct ow_ctx *c, uint64_t now)
{
	uint64_t earliest = UINT64_MAX;
	struct ow_loop *l = c->loop;
	int i, cd = l->look_next;

	if (!ow_deadline_passed(l->earliest, now))
		return 0;
	for (i = 0; i < c->ncalls; i++, cd++) {
		if (cd >= c->ncalls)
			cd = 0;
		if (c->calls[cd].state != OW_CALL_WAITING)
			continue;
		if (ow_deadline_passed(c->calls[cd].deadline, now)) {
			l->look_next = cd;
			return cd;
		}
		earliest = ow_deadline_clamp(c->calls[cd].deadline, earliest);
	}
	l->earliest = earliest;
	return 0;
}

void ow_call_drop_all(struct ow_ctx *c)
{
	int cd;

	for (cd = 1; cd < c->ncalls && c->outstanding > 0; cd++)
		ow_call_abandon(c, cd);
}

bool ow_call_is_of(const struct ow_ctx *c, int cd, uint64_t tran)
{
	return tran != 0 && cd > 0 && cd < c->ncalls &&
	       c->calls[cd].state != OW_CALL_FREE && c->calls[cd].tran == tran;
}

bool ow_call_any_of(const struct ow_ctx *c, uint64_t tran)
{
	int cd = 1;

	if (c->outstanding == 0)
		return false;
	while (cd < c->ncalls && !ow_call_is_of(c, cd, tran))
		cd++;
	return cd < c->ncalls;
}

void ow_call_drop_of(struct ow_ctx *c, uint64_t tran)
{
	int cd;

	for (cd = 1; cd < c->ncalls && c->outstanding > 0; cd++)
		if (ow_call_is_of(c, cd, tran))
			ow_call_abandon(c, cd);
}
