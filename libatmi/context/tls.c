/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - the parts of a context one by one: ndrx_nstd_tls_new() and its family
 *
 * For language bindings that move less than a whole context. The handles are
 * those of bundles, as with tpgetctxt().
 */
#include <atmi.h>
#include <errno.h>
#include <oatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/life.h"
#include "libatmi/context/make.h"
#include "libatmi/context/sharing.h"
#include "libatmi/context/switch.h"
#include "libubf/base/uncancelled.h"

__thread void *G_atmi_tls; /* oatmi.h */

#define HAS_PARTS (CTXT_PRIV_NSTD | CTXT_PRIV_UBF)
#define PRIV_ALL                                                      \
	(CTXT_PRIV_NSTD | CTXT_PRIV_UBF | CTXT_PRIV_ATMI |            \
	 CTXT_PRIV_TRAN | CTXT_PRIV_NOCHK | CTXT_PRIV_IGN)

/* The bundle to which this thread's part goes: the one it came from, if the
 * thread has no other part of that one. */
static int bundle_for(struct ow_held *h, enum ow_state_part part,
		      unsigned int parts, struct ow_bundle **ret)
{
	struct ow_bundle *b = h->part[part];

	if (b != NULL && (ow_held_of(h, b) & ~parts) == 0) {
		*ret = b;
		return 0;
	}
	return ow_bundle_new(parts, true, ret);
}

/* Take these parts off the thread; `part` is the one that has to be there. */
static void *take(enum ow_state_part part, unsigned int parts)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();
	struct ow_bundle *b = NULL;
	int i, r = h != NULL ? bundle_for(h, part, parts, &b) : -ENOMEM;

	if (r != 0) {
		ow_context_fail(r);
		return NULL;
	}
	for (i = 0; i < OW_PARTS; i++)
		if ((parts & OW_PART_BIT(i)) != 0)
			ow_held_take(h, b, (enum ow_state_part)i);
	b->parts |= parts;
	ow_bundle_release(b);
	return b->handle;
}

/* Put on this thread what `data` has of `parts`; NULL: the thread has nothing
 * of them then. */
static int put(void *data, unsigned int need, unsigned int parts)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();
	struct ow_bundle *b = NULL;
	int i, r = h != NULL ? 0 : -ENOMEM;

	for (i = 0; r == 0 && data != NULL && i < OW_PARTS; i++)
		if ((need & OW_PART_BIT(i)) != 0 && h->part[i] != NULL &&
		    h->part[i]->handle == data)
			return 0;
	if (r == 0 && data != NULL)
		r = ow_bundle_claim(data, &b);
	if (r == 0 && b != NULL && (b->parts & need) == 0)
		r = -ENOENT;
	else if (r == 0 && b != NULL && !ow_held_may(b))
		r = -EBUSY;
	if (r != 0 && b != NULL)
		ow_bundle_release(b);
	if (r != 0)
		return ow_context_fail(r);
	if (b != NULL)
		parts &= b->parts;
	if ((parts & OW_PART_BIT(OW_PART_ATMI)) != 0)
		ow_shared_quit();
	ow_held_vacate(h, parts);
	if (b != NULL)
		ow_held_put(h, b, parts);
	return 0;
}

static void end(void *data, unsigned int need)
{
	int r;

	ow_tp_clear();
	r = ow_context_free(data, need);
	if (r != 0)
		ow_context_fail(r);
}

/* ---- NSTD ---- */

void *ndrx_nstd_tls_new(int auto_destroy, int auto_set)
{
	ow_tp_clear();
	return ow_context_new(CTXT_PRIV_NSTD, auto_destroy, auto_set);
}

void *ndrx_nstd_tls_get(void)
{
	ow_tp_clear();
	return take(OW_PART_NSTD, CTXT_PRIV_NSTD);
}

int ndrx_nstd_tls_set(void *data)
{
	ow_tp_clear();
	return put(data, CTXT_PRIV_NSTD, CTXT_PRIV_NSTD);
}

void ndrx_nstd_tls_free(void *data)
{
	end(data, CTXT_PRIV_NSTD);
}

/* ---- UBF ---- */

void *ndrx_ubf_tls_new(int auto_destroy, int auto_set)
{
	ow_tp_clear();
	return ow_context_new(CTXT_PRIV_UBF, auto_destroy, auto_set);
}

void *ndrx_ubf_tls_get(void)
{
	ow_tp_clear();
	return take(OW_PART_UBF, CTXT_PRIV_UBF);
}

int ndrx_ubf_tls_set(void *data)
{
	ow_tp_clear();
	return put(data, CTXT_PRIV_UBF, CTXT_PRIV_UBF);
}

void ndrx_ubf_tls_free(void *data)
{
	end(data, CTXT_PRIV_UBF);
}

/* ---- ATMI, and others with it ---- */

void *ndrx_atmi_tls_new(void *tls_in, int auto_destroy, int auto_set)
{
	ow_tp_clear();
	if (tls_in != NULL) {
		ow_tp_fail(TPEINVAL, "tls_in is not NULL");
		return NULL;
	}
	return ow_context_new(CTXT_PRIV_ATMI, auto_destroy, auto_set);
}

void *ndrx_atmi_tls_get(long priv_flags)
{
	const struct ow_held *h = ow_held;

	if ((priv_flags & ~PRIV_ALL) != 0) {
		ow_tp_fail(TPEINVAL, "flags %ld: give CTXT_PRIV_*", priv_flags);
		return NULL;
	}
	if (ow_ctx_peek() == NULL &&
	    (h == NULL || h->part[OW_PART_ATMI] == NULL))
		return NULL;
	return take(OW_PART_ATMI,
		    CTXT_PRIV_ATMI | (unsigned int)(priv_flags & HAS_PARTS));
}

int ndrx_atmi_tls_set(void *data, int flags, long priv_flags)
{
	if (flags != 0 || (priv_flags & ~PRIV_ALL) != 0)
		return ow_tp_fail(TPEINVAL, "flags %d are not 0, or private "
				  "flags %ld not CTXT_PRIV_*", flags,
				  priv_flags);
	return put(data, CTXT_PRIV_ATMI,
		   CTXT_PRIV_ATMI | (unsigned int)(priv_flags & HAS_PARTS));
}

void ndrx_atmi_tls_free(void *data)
{
	end(data, CTXT_PRIV_ATMI);
}
