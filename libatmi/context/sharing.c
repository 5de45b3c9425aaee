/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharing.c - handles of contexts that threads share (strict-tuxedo)
 */
#include "libatmi/context/sharing.h"

#include <errno.h>
#include <stdint.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"

bool ow_context_shared_handle(TPCONTEXT_T *ret)
{
	OW_SHARED; /* it may have ended */

	if (ow_share_is_lost())
		*ret = (TPCONTEXT_T)(intptr_t)TPINVALIDCONTEXT;
	else if (ow_share_is_any() &&
		 (!ow_share_is_single() || ow_ctx_peek() != NULL))
		*ret = ow_share_handle();
	else
		return false;
	return true;
}

void ow_context_open(struct ow_held *h, struct ow_bundle *b)
{
	struct ow_ctx *c = ow_ctx_peek();
	int i;

	if (c == NULL || c == ow_ctx_home() || c->srvid != 0)
		return;
	for (i = 0; i < OW_PARTS; i++)
		if (h->part[i] == b)
			h->part[i] = NULL; /* the thread's own from now on */
	b->parts = OW_PART_BIT(OW_PART_ATMI);
	c = ow_ctx_detach();
	c->bundle = NULL;
	c->share = &b->share;
	ow_share_open(&b->share, b->handle, c, false);
	(void)ow_share_join(&b->share, b->handle);
}

int ow_context_share(struct ow_held *h, TPCONTEXT_T context)
{
	struct ow_share *s = ow_bundle_share(context);
	struct ow_bundle *b = h->part[OW_PART_ATMI];
	unsigned int parts = OW_PART_BIT(OW_PART_ATMI);
	struct ow_share_aside was;

	if (s == NULL)
		return -ENOENT;
	was = ow_share_put_aside();
	if (ow_share_join(s, context) != 0) {
		ow_share_bring_back(&was);
		return -ENOENT;
	}
	if (b != NULL) /* all of it: others may have it then */
		parts |= ow_held_of(h, b);
	ow_held_vacate(h, parts);
	return 0;
}

int ow_context_visit(struct ow_held *h, TPCONTEXT_T context)
{
	struct ow_share *s = ow_bundle_share(context);
	struct ow_share_aside was;
	int r;

	if (s == NULL)
		return -ENOENT;
	was = ow_share_put_aside();
	r = ow_share_join(s, context); /* is it shared at all? */
	(void)ow_share_put_aside();
	ow_share_bring_back(&was);
	if (r == 0 && ow_held_push(h) != 0)
		return -ENOMEM;
	if (r == 0 && ow_share_join(s, context) != 0) {
		ow_held_pop(h);
		r = -ENOENT;
	}
	return r;
}

int ow_context_end_shared(void)
{
	struct ow_share *s;
	struct ow_ctx *c;

	(void)ow_shared_enter();
	s = ow_sharing;
	if (!ow_share_is_inside()) { /* another thread has ended it */
		ow_share_quit();
		return 0;
	}
	if (ow_share_alone(s) != 0) {
		ow_shared_leave();
		return -EBUSY;
	}
	c = ow_ctx_peek();
	if (c != NULL && c->tran_hooks != NULL)
		c->tran_hooks->abandon(c);
	ow_ctx_leave();
	/* Who is given the bundle now waits for the lock. */
	ow_bundle_free(ow_bundle_of_share(s));
	ow_share_close(s);
	ow_shared_quit();
	return 0;
}

int ow_context_free_shared(struct ow_held *h, TPCONTEXT_T context)
{
	int r;

	if (ow_share_is(context))
		return ow_context_end_shared();
	r = ow_context_visit(h, context);
	if (r != 0)
		return r;
	r = ow_context_end_shared();
	ow_held_pop(h);
	return r;
}
