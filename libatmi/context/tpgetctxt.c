/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpgetctxt.c - take the context off a thread, put it on, make and free one
 */
#include <errno.h>
#include <oatmi.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/context/make.h"
#include "libatmi/context/sharing.h"
#include "libatmi/context/single.h"
#include "libatmi/context/switch.h"
#include "libubf/base/compatible.h"
#include "libubf/base/uncancelled.h"

/* The bundle of this thread's context, with all that the thread has but what
 * has a handle of its own: 0 with *ret, NULL: it has no context; -errno. */
static int gather(struct ow_held *h, struct ow_bundle **ret)
{
	struct ow_bundle *b = h->part[OW_PART_ATMI];
	int i, r = 0;

	if (b == NULL && ow_ctx_peek() != NULL)
		r = ow_bundle_new(OW_PARTS_ALL, true, &b);
	if (r != 0)
		return r;
	*ret = b;
	for (i = 0; b != NULL && i < OW_PARTS; i++) {
		if (h->part[i] != NULL)
			continue;
		ow_state_end(&b->state,
			     (enum ow_state_part)i); /* what rested */
		h->part[i] = b;
		b->parts |= OW_PART_BIT(i);
	}
	return 0;
}

static int take_off(TPCONTEXT_T *context, long flags)
{
	struct ow_bundle *b = NULL;
	struct ow_held *h;
	int r;

	if (context == NULL || flags != 0)
		return ow_tp_fail(TPEINVAL, "context is NULL, or flags %ld are "
				  "not 0", flags);
	if (ow_context_shared_handle(context))
		return TPMULTICONTEXTS;
	h = ow_held_need();
	r = h != NULL ? gather(h, &b) : -ENOMEM;
	if (r != 0)
		return ow_context_fail(r);
	*context = TPNULLCONTEXT;
	if (b == NULL)
		return TPNULLCONTEXT;
	*context = b->handle;
	if (!ow_compat_tuxedo())
		ow_held_vacate(h, OW_PARTS_ALL);
	else
		ow_context_open(h, b);
	return TPMULTICONTEXTS;
}

/* Has this thread no context, as one that only goes into those of others? */
static bool has_none(void)
{
	return ow_held != NULL && ow_held->part[OW_PART_ATMI] == NULL &&
	       ow_ctx_peek() == NULL && !ow_share_is_any() &&
	       !ow_share_is_lost() && !ow_ctx_is_hidden() &&
	       (ow_sharing == NULL || !ow_compat_tuxedo());
}

/* A shared context may have to be waited for: a point of cancellation. Otherwise
 * there is none: what ends a context or a log is guarded itself. */
int tpgetctxt(TPCONTEXT_T *context, long flags)
{
	if (context != NULL && flags == 0 && has_none()) {
		*context = TPNULLCONTEXT;
		return TPNULLCONTEXT;
	}
	if (ow_compat_tuxedo()) {
		OW_UNCANCELLED;

		return take_off(context, flags);
	}
	return take_off(context, flags);
}

int ow_context_put_aside(void)
{
	struct ow_bundle *b = NULL;
	struct ow_held *h = ow_held_need();
	int r = h == NULL ? -ENOMEM : ow_share_is_any() ? 0 : gather(h, &b);

	if (r != 0)
		return ow_context_fail(r);
	ow_shared_quit();
	if (b != NULL)
		ow_held_vacate(h, OW_PARTS_ALL);
	return 0;
}

/* Take the context of a handle: 0, -ENOENT, -EBUSY. */
static int claim(TPCONTEXT_T context, struct ow_bundle **ret)
{
	int r = ow_bundle_claim(context, ret);

	if (r == 0 && !ow_held_may(*ret)) {
		ow_bundle_release(*ret);
		return -EBUSY;
	}
	return r;
}

static int is_constant(TPCONTEXT_T context)
{
	return (intptr_t)context == TPINVALIDCONTEXT ||
	       (intptr_t)context == TPSINGLECONTEXT;
}

static int put_on(TPCONTEXT_T context, long flags)
{
	struct ow_held *h;
	struct ow_bundle *b = NULL;
	int r = 0;

	if (flags == 0 && (intptr_t)context == TPSINGLECONTEXT &&
	    ow_compat_tuxedo() && ow_single_put_on() == 0)
		return 0;
	if (flags != 0 || is_constant(context))
		return ow_tp_fail(TPEINVAL, "flags %ld are not 0, or the "
				  "context is a constant", flags);
	h = ow_held_need();
	if (h == NULL)
		return ow_context_fail(-ENOMEM);
	if (ow_share_is(context) || (h->part[OW_PART_ATMI] != NULL &&
				     h->part[OW_PART_ATMI]->handle == context))
		return 0;
	if (context != TPNULLCONTEXT)
		r = claim(context, &b);
	/* A shared one is never at rest. */
	if (r != 0 && ow_context_share(h, context) == 0)
		return 0;
	if (r == 0 && b != NULL && (b->parts & CTXT_PRIV_ATMI) == 0) {
		ow_bundle_release(b);
		r = -ENOENT;
	}
	if (r != 0)
		return ow_context_fail(r);
	ow_shared_quit();
	ow_held_vacate(h, b != NULL ? b->parts : OW_PARTS_ALL);
	if (b != NULL)
		ow_held_put(h, b, b->parts);
	return 0;
}

int tpsetctxt(TPCONTEXT_T context, long flags)
{
	if (ow_compat_tuxedo()) {
		OW_UNCANCELLED;

		return put_on(context, flags);
	}
	return put_on(context, flags);
}

int ndrx_tpsetctxt(TPCONTEXT_T context, long flags, long priv_flags)
{
	return tpsetctxt(context, flags);
}

TPCONTEXT_T tpnewctxt(int auto_destroy, int auto_set)
{
	ow_tp_clear();
	return ow_context_new(OW_PARTS_ALL, auto_destroy, auto_set);
}

void tpfreectxt(TPCONTEXT_T context)
{
	int r;

	ow_tp_clear();
	if (context == TPNULLCONTEXT || is_constant(context)) {
		ow_tp_fail(TPEINVAL, "not a context");
		return;
	}
	r = ow_context_free(context, OW_PARTS_ALL);
	if (r != 0)
		ow_context_fail(r);
}

void Otpfreectxt(TPCONTEXT_T *p_ctxt, TPCONTEXT_T ctxt)
{
	tpfreectxt(ctxt);
}
