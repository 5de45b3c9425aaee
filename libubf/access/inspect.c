/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - Bpres, Boccur, Bnum, Blen, Bnext: what a buffer contains
 *
 * Bnext finds its place by the id and occurrence that the caller passes; the
 * rank it stopped at is only a hint, which it checks. So the buffer may change
 * during the walk, and walks over other buffers may come in between.
 */
#include "libubf/access/value.h"

#include <errno.h>

#include "libubf/access/state.h"
#include "libubf/store/search.h"
#include "libubf/tables/fldtext.h"
#include "libubf/viewdef/field.h"

static inline __attribute__((always_inline)) int
is_present(const struct Ubfh *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	if (ow_ubf_locate(p_ub, bfldid, occ) != NULL)
		return 1;
	if (occ < -1)
		ow_ubf_notpres(bfldid, occ);
	return 0;
}

static __attribute__((noinline)) int
is_present_other(const struct Ubfh *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return 0;
	return is_present(p_ub, bfldid, occ);
}

int Bpres(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	ow_ubf_clear();
	return ow_ubf_is_usual_field(p_ub, bfldid)
		       ? is_present(p_ub, bfldid, occ)
		       : is_present_other(p_ub, bfldid, occ);
}

BFLDOCC Boccur(UBFH *p_ub, BFLDID bfldid)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	return (BFLDOCC)(ow_ubf_upper(p_ub, bfldid) -
			 ow_ubf_lower(p_ub, bfldid));
}

BFLDOCC Bnum(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub) < 0 ? -1 : (BFLDOCC)ow_ubf_count(p_ub);
}

/* The length that programs see: of a view, the bytes of the structure. */
static inline uint32_t visible_len(const struct Ubfh *h, unsigned int type,
				   const struct ow_ubf_ent *e)
{
	uint32_t len = ow_ubf_len(h, type, e);

	return type == BFLD_VIEW ? len - (uint32_t)sizeof(struct ow_ubf_view)
				 : len;
}

int Blen(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	const struct ow_ubf_ent *e;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	e = ow_ubf_locate(p_ub, bfldid, occ);
	if (e == NULL)
		return ow_ubf_notpres(bfldid, occ);
	return (int)visible_len(p_ub, ow_ubf_id_type(bfldid), e);
}

/* Where to put the value, its length and a pointer to it; each may be NULL. */
struct next_out {
	char *buf;
	BFLDLEN *len;
	char **data;
};

static __attribute__((noinline, pure)) int
is_at_paged(const struct Ubfh *h, uint32_t i, BFLDID id, uint32_t first)
{
	return ow_ubf_id_at(h, i) == id && ow_ubf_id_at(h, first) == id &&
	       (first == 0 || ow_ubf_id_at(h, first - 1) != id);
}

/* Whether the entry of rank i is occurrence `occ` of a field. */
static inline int is_at(const struct Ubfh *h, uint32_t i, BFLDID id,
			BFLDOCC occ)
{
	uint32_t first = i - (uint32_t)occ;
	const uint32_t *at;

	if (i >= ow_ubf_count(h) || (uint32_t)occ > i)
		return 0;
	if (__builtin_expect(ow_ubf_paged(h), 0))
		return is_at_paged(h, i, id, first);
	at = ow_ubf_ids(h) + ow_ubf_first(h) + i;
	return *at == (uint32_t)id && *(at - occ) == (uint32_t)id &&
	       (first == 0 || *(at - occ - 1) != (uint32_t)id);
}

/* Search the rank of the entry behind (id, occ). */
static __attribute__((noinline, pure)) uint32_t
seek(const struct Ubfh *h, BFLDID id, BFLDOCC occ)
{
	uint32_t lo = ow_ubf_lower(h, id), n = ow_ubf_upper(h, id) - lo;

	return lo + ((uint32_t)occ < n ? (uint32_t)occ + 1 : n);
}

/* The rank of the next entry, or -1 with Berror. */
static inline __attribute__((always_inline)) long
next_index(const Bnext_state_t *state, UBFH *p_ub, const BFLDID *bfldid,
	   const BFLDOCC *occ)
{
	if (state->p_ub == p_ub &&
	    is_at(p_ub, (uint32_t)state->size, *bfldid, *occ))
		return (long)state->size + 1;
	if (*bfldid == BFIRSTFLDID)
		return 0;
	if (!ow_ubf_id_ok(*bfldid) || *occ < 0) {
		(void)ow_ubf_fail(BEINVAL, "Bnext: at field %s occurrence %d",
				  ow_fldtext(*bfldid).s, *occ);
		return -1;
	}
	return seek(p_ub, *bfldid, *occ);
}

static int __attribute__((cold)) next_failed(int r, BFLDID id, size_t need,
					     const BFLDLEN *have)
{
	if (r == -ENOSPC)
		return ow_ubf_small("Bnext", id, need, have);
	return ow_ubf_fail_errno(r, "Bnext");
}

/* Copy a view out if `buf` is given, else its length. Returns the BVIEWFLD of
 * the state, which points to the view, or NULL with Berror. */
static void *__attribute__((cold)) next_view(Bnext_state_t *state, BFLDID id,
					     struct ow_ubf_val v, char *buf,
					     BFLDLEN *len)
{
	BVIEWFLD *f = &state->vstorage.vdata;
	const struct ow_view *view;
	int r = ow_ubf_view_open(v, f, &view);

	if (r == 0 && buf != NULL)
		r = ow_ubf_view_export(v, (BVIEWFLD *)buf, len);
	else if (r == 0 && len != NULL)
		*len = (BFLDLEN)ow_ubf_view_len(v);
	if (r < 0)
		(void)next_failed(r, id, ow_ubf_view_len(v), len);
	return r < 0 ? NULL : f;
}

static inline __attribute__((always_inline)) int
next_entry(Bnext_state_t *state, UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ,
	   struct next_out out)
{
	struct ow_ubf_val v;
	unsigned int type;
	BFLDID id;
	long i;

	if (state == NULL || bfldid == NULL || occ == NULL)
		return ow_ubf_fail(BEINVAL, "Bnext: no state, id or "
				   "occurrence");
	i = next_index(state, p_ub, bfldid, occ);
	if (i < 0)
		return -1;
	if (i >= (long)ow_ubf_count(p_ub))
		return 0;
	id = ow_ubf_id_at(p_ub, (uint32_t)i);
	type = ow_ubf_id_type(id);
	v = ow_ubf_val_at(p_ub, type, (uint32_t)i);
	if (__builtin_expect(type == BFLD_VIEW, 0)) {
		v.data = next_view(state, id, v, out.buf, out.len);
		if (v.data == NULL)
			return -1;
	} else if (out.buf != NULL) {
		int r = ow_ubf_export(type, v, out.buf, out.len);

		if (r < 0)
			return next_failed(r, id, v.len, out.len);
	} else if (out.len != NULL) {
		*out.len = (BFLDLEN)v.len;
	}
	*occ = id == *bfldid ? *occ + 1 : 0;
	*bfldid = id;
	state->p_ub = p_ub;
	state->size = (size_t)i;
	if (out.data != NULL)
		*out.data = (char *)v.data;
	return 1;
}

static __attribute__((noinline)) int
next_other(Bnext_state_t *state, UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ,
	   struct next_out out)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	return next_entry(state, p_ub, bfldid, occ, out);
}

/* Inlined into its two callers: passing `out` would cost more than the rest of
 * a step. */
static inline __attribute__((always_inline)) int
next(Bnext_state_t *state, UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ,
     struct next_out out)
{
	ow_ubf_clear();
	return ow_ubf_is_usual(p_ub)
		       ? next_entry(state, p_ub, bfldid, occ, out)
		       : next_other(state, p_ub, bfldid, occ, out);
}

int Bnext2(Bnext_state_t *bnext_state, UBFH *p_ub, BFLDID *bfldid,
	   BFLDOCC *occ, char *buf, BFLDLEN *buflen, char **d_ptr)
{
	return next(bnext_state, p_ub, bfldid, occ,
		    (struct next_out){ buf, buflen, d_ptr });
}

static __thread Bnext_state_t thread_next
	__attribute__((tls_model("initial-exec")));

Bnext_state_t *ow_ubf_next_state(void)
{
	return &thread_next;
}

int Bnext(UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ, char *buf,
	  BFLDLEN *buflen)
{
	return next(&thread_next, p_ub, bfldid, occ,
		    (struct next_out){ buf, buflen, NULL });
}
