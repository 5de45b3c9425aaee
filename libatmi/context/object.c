/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - one call of the object API: in the context that it names
 */
#include "libatmi/context/object.h"

#include <errno.h>
#include <tpbind.h>

#include "libatmi/base/nerror.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/context/sharing.h"
#include "libatmi/context/single.h"
#include "libatmi/context/switch.h"
#include "libubf/base/uncancelled.h"

static int refuse(int tperr, const char *why)
{
	ow_ubf_state_refuse(why);
	ow_n_fail(NEINVAL, "%s", why);
	return ow_tp_fail(tperr, "%s", why);
}

static int fail(int r)
{
	if (r == -ENOENT)
		return refuse(TPENOENT, "there is no such context");
	if (r == -EBUSY)
		return refuse(TPEPROTO, "another thread has the context");
	if (r == -ENOSPC)
		return refuse(TPELIMIT, "all contexts are in use");
	return refuse(TPEOS, "no memory for a context");
}

/* The context of *p_ctxt, taken: 0, -errno. */
static int find(TPCONTEXT_T *p_ctxt, struct ow_bundle **ret)
{
	int r;

	if (*p_ctxt == TPNULLCONTEXT) {
		ow_single_forgo();
		r = ow_bundle_new(OW_PARTS_ALL, false, ret);
		if (r == 0)
			*p_ctxt = (*ret)->handle;
		return r;
	}
	r = ow_bundle_claim(*p_ctxt, ret);
	if (r == 0 && !ow_held_may(*ret)) {
		ow_bundle_release(*ret);
		return -EBUSY;
	}
	return r;
}

static int enter(TPCONTEXT_T *p_ctxt)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();
	struct ow_bundle *b = NULL;
	int r;

	if (p_ctxt == NULL)
		return refuse(TPEINVAL, "p_ctxt is NULL");
	if (h == NULL)
		return fail(-ENOMEM);
	if (ow_share_is(*p_ctxt))
		return 0;
	r = ow_context_visit(h, *p_ctxt);
	if (r != -ENOENT)
		return r == 0 ? 1 : fail(r);
	r = find(p_ctxt, &b);
	if (r != 0)
		return fail(r);
	if (ow_held_push(h) != 0) {
		ow_bundle_release(b);
		return fail(-ENOMEM);
	}
	ow_held_put(h, b, b->parts);
	return 1;
}

int ow_object_enter(TPCONTEXT_T *p_ctxt)
{
	const struct ow_held *h = ow_held;

	if (h != NULL && p_ctxt != NULL && h->part[OW_PART_ATMI] != NULL &&
	    h->part[OW_PART_ATMI]->handle == *p_ctxt)
		return 0;
	return enter(p_ctxt);
}

void ow_object_leave(int entered)
{
	OW_UNCANCELLED;

	if (entered > 0 && ow_held->aside != NULL)
		ow_held_pop(ow_held);
}

long ow_object_flags(long flags)
{
	const struct ow_ctx *c = ow_ctx_peek();

	return c != NULL && c->sig_how == TPSIG_END ? flags
						     : flags | TPSIGRSTRT;
}
