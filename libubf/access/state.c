/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - what a thread has of this library: its last error and its Bnext()
 */
#include "libubf/access/state.h"

#include <string.h>

static int has_detail(const struct ow_ubf_err *e)
{
	return e->code != BMINVAL && !e->lazy;
}

void ow_ubf_state_take(struct ow_ubf_state *s)
{
	Bnext_state_t *next = ow_ubf_next_state();

	s->err = ow_ubf_err;
	s->next_of = next->p_ub;
	s->next_rank = next->size;
	if (has_detail(&s->err))
		strcpy(s->detail, ow_ubf_err_detail());
	memset(&ow_ubf_err, 0, sizeof(ow_ubf_err));
	next->p_ub = NULL; /* nothing else is read before it is written */
}

void ow_ubf_state_put(const struct ow_ubf_state *s)
{
	Bnext_state_t *next = ow_ubf_next_state();

	ow_ubf_err = s->err;
	next->p_ub = s->next_of;
	next->size = s->next_rank;
	if (has_detail(&s->err))
		strcpy(ow_ubf_err_detail(), s->detail);
}

void ow_ubf_state_refuse(const char *why)
{
	ow_ubf_fail(BEINVAL, "%s", why);
}
