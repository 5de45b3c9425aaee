/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - queue objects of mailboxes
 *
 * A queue object brings its operations along, so a transport names this table
 * nowhere. A mailbox has no name on the machine: the generation of its slot
 * says which context owns it.
 */
#include <errno.h>
#include <stdlib.h>

#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/transport/mail/queue.h"

#define REPLIES 64u /* first size of a mailbox; expect() */

static void close_queue(struct ow_queue *q)
{
	free(q);
}

static int depth(struct ow_queue *q, uint32_t *ret_depth)
{
	*ret_depth = ow_mail_depth(mail_of(q)->dom, mail_of(q)->slot);
	return 0;
}

static int expect(struct ow_queue *q, uint32_t replies)
{
	int r = ow_mail_expect(mail_of(q)->dom, mail_of(q)->slot, replies);

	return r == OW_MAIL_NOSPACE ? OW_QUEUE_LIMIT : r;
}

/* The operations of a queue object; what makes one is the transport's. */
static const struct ow_transport operations = {
	.close = close_queue,
	.depth = depth,
	.send = ow_mail_send,
	.recv = ow_mail_recv,
	.wait_either = ow_mail_wait_either,
	.expect = expect,
};

static int wrap(struct ow_domain *d, uint32_t slot, struct ow_queue **ret)
{
	struct mail_queue *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return -ENOMEM;
	q->base.transport = &operations;
	q->base.msgsize = sizeof(struct ow_msg); /* payloads lie in blocks */
	q->dom = d;
	q->slot = slot;
	ow_yield_init(&q->yield);
	ow_looker_init(&q->looker, d, OW_LOOK_CALLER);
	*ret = &q->base;
	return 0;
}

int ow_mail_queue_create(struct ow_domain *d, uint32_t slot,
			 struct ow_queue_shape *shape, struct ow_queue **ret)
{
	int r = ow_mail_open(d, slot);

	if (r != 0)
		return r == OW_MAIL_NOSPACE ? -ENOSPC : r;
	*shape = (struct ow_queue_shape){ REPLIES, sizeof(struct ow_msg) };
	return wrap(d, slot, ret);
}

int ow_mail_queue_open(struct ow_domain *d, uint32_t slot,
		       struct ow_queue **ret)
{
	return ow_mail_exists(d, slot) ? wrap(d, slot, ret) : OW_QUEUE_GONE;
}

int ow_mail_queue_peek(struct ow_domain *d, uint32_t slot,
		       uint32_t *ret_depth)
{
	if (!ow_mail_exists(d, slot))
		return OW_QUEUE_GONE;
	*ret_depth = ow_mail_depth(d, slot);
	return 0;
}
