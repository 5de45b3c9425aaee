/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make.c - make and free contexts, and say why that fails
 */
#include "libatmi/context/make.h"

#include <errno.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/context/sharing.h"
#include "libatmi/context/single.h"
#include "libatmi/context/switch.h"
#include "libubf/base/uncancelled.h"

int ow_context_fail(int r)
{
	switch (r) {
	case -ENOENT:
		return ow_tp_fail(TPENOENT, "there is no such context: it was "
				  "freed, or never made");
	case -EBUSY:
		return ow_tp_fail(TPEPROTO, "another thread has the context, "
				  "or a server serves with it");
	case -ENOSPC:
		return ow_tp_fail(TPELIMIT, "all %u contexts are in use",
				  OW_BUNDLE_MAX);
	default:
		if (ow_ctx_is_hidden())
			return ow_tp_fail(TPEPROTO, "a handler of unsolicited "
					  "messages may not do this");
		return ow_tp_fail(TPEOS, "no memory for a context");
	}
}

void *ow_context_new(unsigned int parts, int auto_destroy, int set)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();
	struct ow_bundle *b = NULL;
	int r = -ENOMEM;

	if ((parts & OW_PART_BIT(OW_PART_ATMI)) != 0)
		ow_single_forgo();
	if (h != NULL)
		r = ow_bundle_new(parts, auto_destroy != 0, &b);
	if (r != 0) {
		ow_context_fail(r);
		return NULL;
	}
	if (set) {
		if ((parts & OW_PART_BIT(OW_PART_ATMI)) != 0)
			ow_shared_quit();
		ow_held_vacate(h, parts);
		ow_held_put(h, b, parts);
	} else {
		ow_bundle_release(b);
	}
	return b->handle;
}

/* The bundle of a handle if this thread has it. */
static struct ow_bundle *own(struct ow_held *h, void *handle)
{
	int i;

	for (i = 0; i < OW_PARTS; i++)
		if (h->part[i] != NULL && h->part[i]->handle == handle)
			return h->part[i];
	return NULL;
}

/* Take a bundle off this thread, or from where it rests: 0, -ENOENT, -EBUSY. */
static int take(struct ow_held *h, void *handle, struct ow_bundle **ret)
{
	struct ow_bundle *b = own(h, handle);
	const struct ow_ctx *c;
	unsigned int parts;
	int i;

	if (b == NULL)
		return ow_bundle_claim(handle, ret);
	parts = ow_held_of(h, b);
	c = ow_ctx_peek();
	if ((parts & CTXT_PRIV_ATMI) != 0 && c != NULL && c->srvid != 0)
		return -EBUSY;
	for (i = 0; i < OW_PARTS; i++)
		if ((parts & OW_PART_BIT(i)) != 0)
			ow_held_take(h, b, (enum ow_state_part)i);
	*ret = b;
	return 0;
}

int ow_context_free(void *handle, unsigned int parts)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();
	struct ow_bundle *b = NULL;
	int i, r = h != NULL ? ow_context_free_shared(h, handle) : -ENOMEM;

	if (r == 0)
		return 0;
	if (r == -ENOENT)
		r = take(h, handle, &b);
	if (r != 0)
		return r;
	if ((b->parts & parts) == 0)
		r = -ENOENT;
	else if (b->state.ctx != NULL && b->state.ctx->srvid != 0)
		r = -EBUSY;
	if (r != 0) {
		ow_bundle_release(b);
		return r;
	}
	for (i = 0; i < OW_PARTS; i++)
		ow_state_end(&b->state, (enum ow_state_part)i);
	ow_bundle_free(b);
	return 0;
}
