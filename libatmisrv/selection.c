/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.c - the services that the command line adds, renames or leaves out
 */
#include "libatmisrv/selection.h"

#include <string.h>

#include "libatmi/base/tperror.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"

/* The function called `func` in the program's table, or NULL. */
static const struct tmdsptchtbl_t *
find_builtin(const struct tmdsptchtbl_t *builtin, const char *func)
{
	const struct tmdsptchtbl_t *t;

	for (t = builtin; t != NULL && t->p_func != NULL; t++)
		if (t->funcnm != NULL && strcmp(t->funcnm, func) == 0)
			return t;
	return NULL;
}

/* The row of a service of that table, or NULL. */
static const struct tmdsptchtbl_t *
find_service(const struct tmdsptchtbl_t *builtin, const char *svc)
{
	const struct tmdsptchtbl_t *t;

	for (t = builtin; t != NULL && t->p_func != NULL; t++)
		if (t->svcnm != NULL && strcmp(t->svcnm, svc) == 0)
			return t;
	return NULL;
}

int ow_selection_offer(struct ow_server *s,
		       const struct tmdsptchtbl_t *builtin)
{
	const struct tmdsptchtbl_t *t;
	uint32_t i;

	for (t = builtin; t != NULL && t->p_func != NULL; t++) {
		if (s->opt->no_builtin || t->svcnm == NULL ||
		    t->svcnm[0] == '\0')
			continue;
		if (ow_offer_add(s, t->svcnm, t->funcnm, t->p_func) != 0)
			return -1;
	}
	for (i = 0; i < s->opt->nbuiltins; i++) {
		const struct ow_opt_pair *b = &s->opt->builtin[i];
		const char *func = b->target[0] ? b->target : b->name;

		t = find_builtin(builtin, func);
		if (t == NULL)
			return ow_tp_fail(TPENOENT, "-S %s: the program has "
					  "no function %s", b->name, func);
		if (ow_offer_add(s, b->name, func, t->p_func) != 0)
			return -1;
	}
	return 0;
}

/* Option -n. */
static bool is_masked(const struct ow_options *o, const char *svc)
{
	uint32_t i;

	for (i = 0; i < o->nmasked; i++)
		if (strncmp(o->masked[i], svc, 31) == 0)
			return true;
	return false;
}

/* Option -s NEW:TARGET: the target is an offer, or else a function of the
 * program's table, as in Tuxedo's option; -s SERVICE also a service of the table,
 * whatever its function is called. */
static int add_alias(struct ow_server *s, const struct tmdsptchtbl_t *builtin,
		     const struct ow_opt_pair *a)
{
	const char *target = a->target[0] ? a->target : a->name;
	const struct ow_offer *o = ow_offer_find(s, target);
	const struct tmdsptchtbl_t *t;

	if (o != NULL)
		return ow_offer_add_like(s, a->name, o);
	t = a->target[0] == '\0' ? find_service(builtin, target) : NULL;
	if (t == NULL)
		t = find_builtin(builtin, target);
	if (t == NULL)
		return ow_tp_fail(TPENOENT, "-s %s:%s: the program does not "
				  "advertise %s, and has no such function in "
				  "its table", a->name, a->target, target);
	return ow_offer_add(s, a->name, t->funcnm, t->p_func);
}

int ow_selection_apply(struct ow_server *s,
		       const struct tmdsptchtbl_t *builtin)
{
	uint32_t i, n = s->noffers;
	struct ow_offer *o;

	for (i = 0; i < n; i++)
		if (s->opt->no_advertise ||
		    is_masked(s->opt, s->offers[i].name))
			s->offers[i].wanted = false;
	for (i = 0; i < s->opt->nbuiltins; i++) {
		o = ow_offer_find(s, s->opt->builtin[i].name);
		if (o != NULL && !is_masked(s->opt, o->name))
			o->wanted = true;
	}
	for (i = 0; i < s->opt->naliases; i++) {
		const struct ow_opt_pair *a = &s->opt->alias[i];

		o = a->target[0] ? NULL : ow_offer_find(s, a->name);
		if (o != NULL)
			o->wanted = true;
		else if (add_alias(s, builtin, a) != 0)
			return -1;
	}
	for (i = 0, n = s->noffers; i < n; i++)
		if (ow_offer_group(s, &s->offers[i]) != 0)
			return -1;
	return 0;
}
