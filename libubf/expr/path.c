/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - the values of a path NAME[1].NAME[?]
 *
 * The occurrences of all [?] count like the digits of an odometer, the last one
 * fastest. When an occurrence is not present, the [?] before it counts on.
 */
#include "libubf/expr/path.h"

#include "libubf/store/search.h"

void ow_expr_walk_start(struct ow_expr_walk *w, const struct ow_expr *x,
			const struct ow_expr_node *node, const struct Ubfh *h)
{
	w->x = x;
	w->node = node;
	w->h = h;
	w->begun = 0;
}

static const struct ow_expr_step *steps(const struct ow_expr_walk *w)
{
	const struct ow_expr_step *all = ow_expr_at(w->x, w->x->steps);

	return all + w->node->extra;
}

/* Set the occurrences from name i on to their first values. */
static void rewind_from(struct ow_expr_walk *w, int i)
{
	const struct ow_expr_step *s = steps(w);

	for (; i < w->node->nsteps; i++)
		w->at[i] = s[i].occ == OW_EXPR_ANY ? 0 : s[i].occ;
}

/* Count the last [?] before name `end` on: 1, or 0 if there is none. */
static int advance(struct ow_expr_walk *w, int end)
{
	const struct ow_expr_step *s = steps(w);

	while (end-- > 0) {
		if (s[end].occ != OW_EXPR_ANY)
			continue;
		w->at[end]++;
		rewind_from(w, end + 1);
		return 1;
	}
	return 0;
}

/* Follow the path with the current occurrences: -1 and the value, or the number
 * of the name that is not present. */
static int follow(const struct ow_expr_walk *w, unsigned int *ret_type,
		  struct ow_ubf_val *v)
{
	const struct ow_expr_step *s = steps(w);
	const struct Ubfh *h = w->h;
	const struct ow_ubf_ent *e;
	int i, last = w->node->nsteps - 1;

	if (w->x->view != NULL)
		return ow_expr_view_element(w->x->view, (const char *)h,
					    ow_expr_at(w->x, s[0].name),
					    w->at[0], ret_type, v) < 0 ? 0 : -1;
	for (i = 0; i <= last; i++) {
		e = ow_ubf_locate(h, s[i].id, w->at[i]);
		if (e == NULL)
			return i;
		*ret_type = ow_ubf_id_type(s[i].id);
		*v = ow_ubf_entry_val(h, *ret_type, e);
		if (i == last)
			break;
		if (s[i + 1].id != BBADFLDID) {
			h = v->data;
			continue;
		}
		return ow_expr_view_member(*v, ow_expr_at(w->x, s[i + 1].name),
					   w->at[i + 1], ret_type, v) < 0
			   ? i + 1
			   : -1;
	}
	return -1;
}

int ow_expr_walk_next(struct ow_expr_walk *w, unsigned int *ret_type,
		      struct ow_ubf_val *ret_value)
{
	int missing;

	if (!w->begun)
		rewind_from(w, 0);
	else if (!advance(w, w->node->nsteps))
		return 0;
	w->begun = 1;
	for (;;) {
		missing = follow(w, ret_type, ret_value);
		if (missing < 0)
			return 1;
		if (!advance(w, missing))
			return 0;
	}
}
