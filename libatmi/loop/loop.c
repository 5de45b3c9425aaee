/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - a program's own loop waits for a context by a descriptor
 */
#include "libatmi/loop/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "libatmi/base/deadline.h"
#include "libatmi/call/await.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/svcq.h"
#include "libatmi/converse/converse.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/transport/mail/socket.h"
#include "libatmi/waking/yield.h"

struct loop {
	struct ow_loop base;
	int fd;
	uint64_t nudge_ns, gap; /* when to nudge, and how long until then */
	/* of the context at the last nudge: has it got on since? */
	uint64_t seq;
	int outstanding;
};

static struct loop *of(const struct ow_ctx *c)
{
	return (struct loop *)c->loop;
}

static bool has_ended_or_kept(const struct ow_conv *t)
{
	return t->first != NULL || t->state == OW_CONV_OVER;
}

bool ow_loop_has_come(const struct ow_ctx *c)
{
	const struct ow_conv *t;
	int cd;

	if (c->kept_first != 0)
		return true;
	for (cd = 0; c->convs != NULL && cd < c->convs->n; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t != NULL && has_ended_or_kept(t))
			return true;
	}
	return false;
}

static bool awaits_others(const struct ow_ctx *c)
{
	return c->outstanding > 0 || (c->convs != NULL && c->convs->open > 0);
}

/* As the waits of await.c, but in the middle of other replies, too: the gap
 * grows only while none comes. */
static void nudge(struct ow_ctx *c, struct loop *l, uint64_t now)
{
	bool got_on = l->seq != c->next_seq ||
		      l->outstanding != c->outstanding;

	l->gap = got_on ? c->dom->waking.nudge_ns : ow_waking_nudge_gap(l->gap);
	l->nudge_ns = now + l->gap;
	l->seq = c->next_seq;
	l->outstanding = c->outstanding;
	if (awaits_others(c))
		ow_svcq_nudge(c);
}

static void look_at_conversations(struct ow_ctx *c, uint64_t now)
{
	struct ow_conv *t;
	int cd;

	for (cd = 0; c->convs != NULL && cd < c->convs->n; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t != NULL && t->state != OW_CONV_OVER &&
		    now >= t->look_ns)
			ow_converse_look(c, t, now);
	}
}

static void rouse(struct ow_ctx *c)
{
	if (!ow_mail_socket_holds(of(c)->fd))
		ow_mail_socket_write(c->dom, c->slot);
}

static void settle(struct ow_ctx *c)
{
	struct loop *l = of(c);
	uint64_t now = ow_clock_mono_ns();

	if (now >= l->nudge_ns)
		nudge(c, l, now);
	look_at_conversations(c, now);
	ow_await_take_in(c);
	if (ow_loop_has_come(c)) {
		rouse(c); /* its sender may have been killed before its byte */
		return;
	}
	ow_mail_socket_drain(l->fd);
	if (c->listener != NULL)
		c->listener->arm(c);
	ow_mail_arm(c->dom, c->slot);
}

static void leave(struct ow_ctx *c)
{
	ow_mail_socket_remove(c->dom, c->slot);
}

static void close_loop(struct ow_loop *base)
{
	close(((struct loop *)base)->fd);
}

static int begin(struct ow_ctx *c)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	l->fd = ow_mail_socket_open(c->dom, c->slot);
	if (l->fd < 0) {
		int r = l->fd;

		free(l);
		return r;
	}
	l->base = (struct ow_loop){ .settle = settle,
				    .rouse = rouse,
				    .leave = leave,
				    .close = close_loop,
				    .earliest = OW_DEADLINE_NOW };
	l->gap = c->dom->waking.nudge_ns;
	c->loop = &l->base;
	(void)ow_call_overdue(c, OW_DEADLINE_NOW); /* of what is out */
	settle(c);
	return 0;
}

int ow_loop_need(struct ow_ctx *c)
{
	int r = c->loop != NULL ? 0 : begin(c);

	return r == 0 ? of(c)->fd : r;
}

int ow_loop_wait(struct ow_ctx *c, uint64_t until)
{
	bool direct;
	int r = 0;

	while (r == 0 && !ow_loop_has_come(c)) {
		if (c->listener != NULL)
			c->listener->arm(c);
		r = ow_await_message(c, until, NULL, &direct);
	}
	return r;
}

uint64_t ow_loop_due_ns(struct ow_ctx *c, uint64_t now)
{
	uint64_t due = now + OW_LOOP_LATEST_NS;
	const struct ow_conv *t;
	int cd;

	if (c->outstanding > 0 && ow_call_overdue(c, now) != 0)
		return now;
	if (c->outstanding > 0)
		due = ow_deadline_clamp(c->loop->earliest, due);
	if (awaits_others(c))
		due = ow_deadline_clamp(due, of(c)->nudge_ns);
	if (c->listener != NULL)
		due = ow_deadline_clamp(due, now + OW_CTX_ATTEND_NS);
	for (cd = 0; c->convs != NULL && cd < c->convs->n; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t != NULL)
			due = ow_deadline_clamp(due, t->look_ns);
	}
	return due;
}
