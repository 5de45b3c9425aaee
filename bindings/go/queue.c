/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - durable queues
 */
#include "inside.h"

#include <limits.h>
#include <stdio.h>

/* A failed operation of a queue: the queue's own reason is said, too. */
static int fail_queue(const TPQCTL *ctl, struct gow_out *out)
{
	size_t n;

	out->unbegun = tpurcode == LONG_MIN;
	gow_fail(out);
	tpsblktime(0, TPBLK_NEXT); /* it was perhaps refused before */
	n = strlen(out->text);
	if (out->err == TPEDIAGNOSTIC)
		snprintf(out->text + n, sizeof(out->text) - n,
			 " (diagnostic %ld)", ctl->diagnostic);
	out->event = ctl->diagnostic;
	return -1;
}

int gow_enqueue(struct gow *g, const char *space, const char *queue,
		struct gow_in in, long ms, long flags,
		struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	TPQCTL ctl = { .flags = TPNOFLAGS };
	char *data;
	int r = gow_prepare(g, in, &data, out);

	if (r == 0) {
		gow_limit(ms);
		r = tpenqueue((char *)space, (char *)queue, &ctl, data, in.len,
			      flags);
		if (r != 0)
			fail_queue(&ctl, out);
		memcpy(out->id, ctl.msgid, sizeof(ctl.msgid));
	}
	gow_leave(had);
	return r;
}

int gow_dequeue(struct gow *g, const char *space, const char *queue, int wait,
		long ms, long flags, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	TPQCTL ctl = { .flags = wait ? TPQWAIT : TPNOFLAGS };
	char *buf = NULL;
	long len = 0;
	int r;

	gow_clear(out);
	gow_limit(ms);
	r = tpdequeue((char *)space, (char *)queue, &ctl, &buf, &len, flags);
	if (r == 0) {
		memcpy(out->id, ctl.msgid, sizeof(ctl.msgid));
		g->taken = ctl;
		gow_look_apart(buf, len, out);
	} else {
		fail_queue(&ctl, out);
		if (out->err == TPEDIAGNOSTIC && ctl.diagnostic == QMENOMSG)
			r = 1;
	}
	gow_leave(had);
	return r;
}

int gow_put_back(struct gow *g, const char *space, const char *queue,
		 const TPQCTL *taken, const struct gow_out *message, long ms,
		 struct gow_out *out)
{
	const long kept = TPQPRIORITY | TPQCORRID | TPQREPLYQ | TPQFAILUREQ;
	TPCONTEXT_T had = gow_enter(g);
	TPQCTL ctl = *taken;
	int r;

	ctl.flags &= kept;
	gow_clear(out);
	gow_limit(ms);
	r = tpenqueue((char *)space, (char *)queue, &ctl, message->buf,
		      message->len, TPNOTRAN);
	if (r != 0)
		fail_queue(&ctl, out);
	gow_leave(had);
	return r;
}
