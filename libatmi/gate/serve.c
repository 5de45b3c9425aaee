/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - the gate's end of one guest's connection
 */
#include "libatmi/gate/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libubf/base/printable.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/share.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/stored.h"
#include "libatmi/gate/complain.h"
#include "libatmi/gate/ledger.h"
#include "libatmi/gate/login.h"
#include "libatmi/post/message.h"
#include "libatmi/wire/cause.h"
#include "libatmi/wire/frame.h"

/* How often a wait for a reply looks for the guest's end. */
#define SLICE_NS (100 * OW_NS_PER_MS)
/* While nothing is asked, replies are taken out of the mailbox, so that no
 * server waits for room in it. */
#define DRAIN_MIN_MS 10
#define DRAIN_MAX_MS 160
#define FLAGS (TPNOREPLY | TPNOBLOCK | TPNOTIME | TPNOTRAN | TPNOCHANGE | \
	       TPSIGRSTRT)

/* Results of wait_reply() beside OW_QUEUE_*. */
#define CEASED 100
#define LEFT   101

struct guest {
	int fd;
	struct ow_ctx *c;
	struct ow_gate_peer peer;
	uint32_t introduced; /* the generation of the slot that has its row */
	struct ow_ledger *ledger; /* of its user */
	uint64_t kept; /* bytes of replies, as the ledger knows them */
	uint64_t bytes; /* of the requests of outstanding calls */
	uint32_t size[OW_CD_MAX]; /* of each */
};

/* ---- what it takes ---- */

/* The replies that wait to be fetched. 0, or -EDQUOT: too much. */
static int count_kept(struct guest *g)
{
	uint64_t n = 0, before = g->kept;
	int cd;

	for (cd = g->c->kept_first; cd != 0; cd = g->c->calls[cd].next)
		n += g->c->calls[cd].reply.payload.len;
	g->kept = n;
	if (ow_ledger_keeps(g->ledger, before, n))
		return 0;
	ow_guest_complain("a guest does not fetch its replies: closed");
	return -EDQUOT;
}

/* ---- the socket ---- */

/* Wait for `events`; meanwhile take in replies. 0 or -errno. */
static int wait_socket(struct guest *g, short events)
{
	struct pollfd p = { .fd = g->fd, .events = events };
	int n, r, last, ms = DRAIN_MIN_MS;

	for (;;) {
		n = poll(&p, 1, g->c->outstanding > 0 ? ms : -1);
		if (n > 0 || (n < 0 && errno != EINTR))
			return n > 0 ? 0 : -errno;
		if (n < 0)
			continue;
		last = g->c->kept_last;
		r = ow_await_take_in(g->c);
		if (r >= 0)
			r = count_kept(g);
		if (r < 0)
			return r;
		ms = g->c->kept_last != last ? DRAIN_MIN_MS : ms * 2;
		if (ms > DRAIN_MAX_MS)
			ms = DRAIN_MAX_MS;
	}
}

static int receive(struct guest *g, void *to, size_t len)
{
	size_t have = 0;
	ssize_t n;
	int r;

	while (have < len) {
		n = recv(g->fd, (char *)to + have, len - have, MSG_DONTWAIT);
		if (n == 0)
			return -EPIPE;
		if (n > 0)
			have += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		else if ((r = wait_socket(g, POLLIN)) < 0)
			return r;
	}
	return 0;
}

/* Read what is not kept. */
static int skip(struct guest *g, size_t len)
{
	char room[4096];
	size_t n;
	int r = 0;

	for (; r == 0 && len > 0; len -= n) {
		n = len < sizeof(room) ? len : sizeof(room);
		r = receive(g, room, n);
	}
	return r;
}

static int send_bytes(struct guest *g, const void *from, size_t len, int flags)
{
	size_t done = 0;
	ssize_t n;
	int r;

	while (done < len) {
		n = send(g->fd, (const char *)from + done, len - done,
			 MSG_DONTWAIT | MSG_NOSIGNAL | flags);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		else if ((r = wait_socket(g, POLLOUT)) < 0)
			return r;
	}
	return 0;
}

static int send_frame(struct guest *g, const struct ow_frame *f,
		      const void *payload)
{
	int r = send_bytes(g, f, sizeof(*f), f->msg.len > 0 ? MSG_MORE : 0);

	return r < 0 ? r : send_bytes(g, payload, f->msg.len, 0);
}

static int answer_done(struct guest *g, int cd)
{
	struct ow_frame f;

	ow_frame_init(&f, OW_FRAME_DONE);
	f.msg.cd = cd;
	return send_frame(g, &f, NULL);
}

static void compose_failure(struct ow_frame *f, int tperr, const char *why)
{
	ow_frame_init(f, OW_FRAME_FAILED);
	f->msg.tperr = tperr;
	snprintf(f->text, sizeof(f->text), "%s", why);
	ow_printable(f->text);
}

static int answer_failed(struct guest *g, int tperr, const char *why)
{
	struct ow_frame f;

	compose_failure(&f, tperr, why);
	return send_frame(g, &f, NULL);
}

/* A function of calls has set tperrno. */
static int answer_tperror(struct guest *g)
{
	return answer_failed(g, tperrno, ow_tp_detail());
}

/* ---- replies ---- */

static void drop(struct guest *g, int cd)
{
	ow_call_drop(g->c, cd);
	g->bytes -= g->size[cd];
	g->size[cd] = 0;
}

/* Is the guest there? 0: nothing new; CEASED; LEFT: it has gone, or broken the
 * rules. */
static int look(struct guest *g)
{
	struct pollfd p = { .fd = g->fd, .events = POLLIN | POLLRDHUP };
	struct ow_frame f;

	if (poll(&p, 1, 0) <= 0)
		return 0;
	if ((p.revents & POLLIN) == 0 || receive(g, &f, sizeof(f)) != 0 ||
	    ow_frame_check(&f, OW_MSG_REQUEST) != 0 || f.op != OW_FRAME_CEASE)
		return LEFT;
	return CEASED;
}

/* As ow_await_reply(), or CEASED, LEFT. */
static int wait_reply(struct guest *g, int cd, uint64_t deadline, int *ret_cd,
		      struct ow_envelope **ret)
{
	uint64_t now, until;
	int r, over;

	for (;;) {
		now = ow_clock_mono_ns();
		until = deadline == OW_DEADLINE_NOW
			    ? deadline
			    : ow_deadline_clamp(deadline, now + SLICE_NS);
		r = ow_await_reply(g->c, cd, now, until, ret_cd, ret);
		if (r == OW_QUEUE_SIGNAL ||
		    (r == OW_QUEUE_TIMEOUT && until != deadline)) {
			over = look(g);
			if (over != 0)
				return over;
			continue;
		}
		return r;
	}
}

/* Send the reply `e` of call `cd`, which ends. */
static int answer_reply(struct guest *g, int cd, struct ow_envelope *e)
{
	const struct ow_msg *m;
	struct ow_frame f;
	int r;

	/* Other replies may be taken in while this one is sent. */
	if (e == &g->c->in) {
		ow_call_keep(g->c, cd, e);
		e = &g->c->calls[cd].reply;
	}
	m = e->head;
	ow_frame_init(&f, OW_FRAME_REPLY);
	f.msg.cd = cd;
	f.msg.tperr = m->tperr;
	f.msg.urcode = m->urcode;
	if (ow_cause_or_content(m)) {
		f.msg.flags = m->flags & OW_MSG_CAUSE;
		f.msg.buftype = m->buftype;
		f.msg.sub_len = m->sub_len;
		f.msg.len = m->len;
	}
	if (f.msg.len > 0 && e->payload.data == NULL)
		r = answer_failed(g, TPESYSTEM, "the reply's block is gone");
	else if (ow_frame_check(&f, OW_MSG_REPLY) != 0)
		r = answer_failed(g, TPESYSTEM, "the reply is too large for a "
				  "guest, or damaged");
	else
		r = send_frame(g, &f, e->payload.data);
	drop(g, cd);
	return r;
}

/* Wait and answer. `ends`: without a reply the call ends too (tpcall). */
static int await(struct guest *g, int cd, uint64_t deadline, bool ends)
{
	struct ow_envelope *e = NULL;
	int got = 0, r = wait_reply(g, cd, deadline, &got, &e);

	if (r == 0)
		return answer_reply(g, got, e);
	if (ends)
		drop(g, cd);
	switch (r) {
	case LEFT:
		return -EPIPE;
	case CEASED:
		return answer_failed(g, TPGOTSIG,
				     "signal while waiting for a reply");
	case OW_QUEUE_EMPTY:
		return answer_failed(g, TPEBLOCK, "no reply is there");
	case OW_QUEUE_TIMEOUT:
		ow_count_shared(&g->c->clt->timeouts, 1);
		return answer_failed(g, TPETIME, "no reply in time");
	default:
		return answer_failed(g, TPESYSTEM, "waiting for a reply");
	}
}

/* ---- operations ---- */

/* Does the request keep to the bounds? NULL, or what it breaks. */
static const char *excess(const struct guest *g, const struct ow_msg *m)
{
	if (g->c->outstanding >= OW_GUEST_CALLS)
		return "a guest may have 256 calls outstanding";
	if (g->bytes + m->len > OW_GUEST_BYTES)
		return "a guest may have 256 MiB of requests outstanding";
	return NULL;
}

/* Have a slot, and its row: servers know from it who asks. One-way requests
 * need both, too. 0, or -1 with tperrno. */
static int need_slot(struct guest *g, uint64_t deadline)
{
	if (ow_slot_need(g->c) != 0)
		return -1;
	if (g->introduced == g->c->gen)
		return 0;
	if (ow_gate_introduce(g->c, &g->peer) != 0)
		return -1;
	g->introduced = g->c->gen;
	return 0;
}

/* Names that begin so are of the runtime's own servers, which obey those who
 * call them: tpevsrv, tmsrv, tmqueue, the MIB. Who may post is a rule's. */
static bool is_for_guests(const char *svc)
{
	return (svc[0] != '@' && svc[0] != '.') ||
	       strcmp(svc, OW_EVENT_POST) == 0;
}

/* Queue the request: its descriptor in *ret_cd, or -1 with tperrno. */
static int request(struct guest *g, const struct ow_frame *f, void *payload,
		   int *ret_cd, uint64_t *ret_block)
{
	const struct ow_msg *m = &f->msg;
	struct ow_request rq = { .svc = f->text };
	struct ow_content *data = &rq.data.content;
	struct ow_ctx *c = g->c;
	const char *much = excess(g, m);
	int r;

	if (f->text[0] == '\0' ||
	    strlen(f->text) > XATMI_SERVICE_NAME_LENGTH)
		return ow_tp_fail(TPENOENT, "service name of a wrong length");
	if (!is_for_guests(f->text))
		return ow_tp_fail(TPEPERM, "%s: a service of the runtime, not "
				  "for guests", f->text);
	if (much != NULL)
		return ow_tp_fail(TPELIMIT, "%s", much);
	if (ow_ctx_need_domain(c) != 0)
		return -1;
	rq.flags = (long)(m->flags & FLAGS);
	rq.begin_ns = ow_clock_mono_ns();
	rq.deadline = m->deadline_ns;
	rq.data.info.type = (enum ow_buf_type)m->buftype;
	data->type = m->buftype;
	data->sub_len = m->sub_len;
	memcpy(data->subtype, payload, m->sub_len);
	data->payload.data = (char *)payload + m->sub_len;
	data->payload.len = m->len - m->sub_len;
	ow_trace_enter(&c->trace, m);
	c->prio_set = (enum ow_priority_set)f->prio_set;
	c->prio_value = f->prio;
	if (need_slot(g, rq.deadline) != 0)
		return -1;
	rq.how = OW_REQUEST_STORABLE;
	if ((rq.flags & TPNOREPLY) == 0) {
		rq.cd = ow_call_new(c, &rq.seq);
		if (rq.cd == 0)
			return ow_tp_fail(TPELIMIT, "descriptors");
	}
	r = ow_request_send(c, &rq);
	if (r == OW_REQUEST_STORED)
		r = ow_stored_ask(c, &rq);
	if (r != 0) {
		ow_call_drop(c, rq.cd);
		return -1;
	}
	ow_ctx_count_call(c);
	ow_ctx_did(c, OW_DONE_REQUEST);
	*ret_block = rq.block;
	g->size[rq.cd] = rq.cd != 0 ? (uint32_t)m->len : 0;
	g->bytes += g->size[rq.cd];
	*ret_cd = rq.cd;
	return 0;
}

/* While it waits, the request lies in shared memory only. */
static int do_request(struct guest *g, const struct ow_frame *f,
		      void **payload)
{
	uint64_t block = 0;
	int r, cd = 0;

	ow_tp_clear();
	if (f->op == OW_FRAME_CALL && (f->msg.flags & TPNOREPLY) != 0) {
		ow_ledger_give(g->ledger, f->msg.len);
		return answer_failed(g, TPEINVAL, "TPNOREPLY: use tpacall()");
	}
	r = count_kept(g);
	if (r == 0 && request(g, f, *payload, &cd, &block) != 0)
		r = 1;
	free(*payload);
	*payload = NULL;
	ow_ledger_sent(g->ledger, r == 0 ? block : 0, f->msg.len);
	if (r != 0)
		return r > 0 ? answer_tperror(g) : r;
	if (f->op == OW_FRAME_SEND)
		return answer_done(g, cd);
	return await(g, cd, f->msg.deadline_ns, true);
}

static int do_get(struct guest *g, const struct ow_msg *m)
{
	if (m->cd == 0 ? g->c->outstanding == 0
		       : ow_call_find(g->c, m->cd) == NULL)
		return answer_failed(g, TPEBADDESC, "the call is not "
				     "outstanding");
	return await(g, m->cd,
		     m->flags & TPNOBLOCK ? OW_DEADLINE_NOW : m->deadline_ns,
		     false);
}

/* A wrong password costs a second, meanwhile nothing else is
 * served. */
static int do_login(struct guest *g, const struct ow_frame *f, void *payload)
{
	struct ow_frame_login l;
	int r;

	ow_tp_clear();
	memcpy(&l, payload, sizeof(l));
	r = ow_gate_login(g->c, &g->peer, f, &l, (char *)payload + sizeof(l));
	explicit_bzero(&l, sizeof(l));
	explicit_bzero(payload, f->msg.len);
	if (r != 0)
		return answer_tperror(g);
	/* The name is that of the slot from now on. */
	if (!g->peer.own)
		g->introduced = g->c->gen;
	return answer_done(g, 0);
}

/* Gives back to the ledger what was taken for the payload. */
static int do_operation(struct guest *g, const struct ow_frame *f,
			void **payload)
{
	if (f->op == OW_FRAME_CALL || f->op == OW_FRAME_SEND)
		return do_request(g, f, payload);
	ow_ledger_give(g->ledger, f->msg.len);
	switch (f->op) {
	case OW_FRAME_LOGIN:
		return do_login(g, f, *payload);
	case OW_FRAME_GET:
		return do_get(g, &f->msg);
	case OW_FRAME_CANCEL:
		drop(g, f->msg.cd);
		return answer_done(g, 0);
	default:
		return 0; /* CEASE: the wait has ended already */
	}
}

/* The operation with its payload. */
static int serve_frame(struct guest *g, const struct ow_frame *f)
{
	void *payload = malloc(f->msg.len + 1);
	int r = payload != NULL ? receive(g, payload, f->msg.len) : -ENOMEM;

	if (r == 0 && ow_domain_is_gone(g->c->dom))
		r = -EPIPE;
	if (r == 0)
		r = do_operation(g, f, &payload);
	else
		ow_ledger_give(g->ledger, f->msg.len);
	free(payload);
	return r;
}

/* One operation: 0, or -errno: the connection ends. */
static int serve_one(struct guest *g)
{
	struct ow_frame f;
	const char *much;
	int r = receive(g, &f, sizeof(f));

	if (r == 0)
		r = ow_frame_check(&f, OW_MSG_REQUEST);
	if (r < 0)
		return r;
	much = ow_ledger_take(g->ledger, g->c->dom->blocks,
			      g->c->dom->shm_dir, f.msg.len);
	if (much == NULL)
		return serve_frame(g, &f);
	r = skip(g, f.msg.len);
	return r < 0 ? r : answer_failed(g, TPELIMIT, much);
}

void ow_guest_serve(int fd, const char *label, const struct ow_gate_peer *peer)
{
	struct guest *g = calloc(1, sizeof(*g));
	struct ow_frame f;
	int r = 0;

	ow_tp_clear();
	ow_share_decline(); /* each guest has a context of its own */
	if (g == NULL) {
		ow_guest_refuse(fd, TPEOS, "the gate has no memory");
		return;
	}
	g->fd = fd;
	g->peer = *peer;
	g->ledger = ow_ledger_open(peer->who.uid);
	g->c = g->ledger != NULL ? ow_ctx_get() : NULL;
	if (g->c == NULL || ow_ctx_need_domain(g->c) != 0) {
		ow_guest_refuse(fd, tperrno, ow_tp_detail());
	} else {
		snprintf(g->c->label, sizeof(g->c->label), "%s", label);
		g->c->may_enter = true; /* not the guest's requests */
		ow_frame_init(&f, OW_FRAME_WELCOME);
		f.msg.urcode = ow_gate_auth(g->c);
		r = send_frame(g, &f, NULL);
		while (r == 0)
			r = serve_one(g);
		close(fd);
	}
	if (r == -EBADMSG)
		ow_guest_complain("a guest sent a malformed frame: closed");
	if (g->ledger != NULL)
		ow_ledger_keeps(g->ledger, g->kept, 0);
	ow_ctx_leave();
	ow_ledger_close(g->ledger);
	free(g);
}

void ow_guest_refuse(int fd, int tperr, const char *why)
{
	struct ow_frame f;

	compose_failure(&f, tperr, why);
	(void)!send(fd, &f, sizeof(f), MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}
