/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl.c - acl: who may call, post and subscribe, as it is in force
 */
#include "clients/xadmin/list/list.h"

#include <pwd.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi_defs.h>

#include "clients/xadmin/domain/reach.h"
#include "libubf/base/printable.h"
#include "libatmi/door/rules.h"
#include "libubf/base/cleanup.h"

static const struct ow_column acl_columns[] = {
	{ "KIND", 9, 0 },
	{ "NAME", 24, OW_COLUMN_GROWS },
	{ "WHO", 40, 0 },
	{ NULL, 0, 0 },
};

static void put_row(struct ow_listing *l, const char *kind, const char *name,
		    const char *who)
{
	char clean_name[256], clean_who[1024];

	snprintf(clean_name, sizeof(clean_name), "%s", name);
	snprintf(clean_who, sizeof(clean_who), "%s", who);
	ow_printable(clean_name);
	ow_printable(clean_who);
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "kind", kind);
		ow_json_str(l->json, "name", clean_name);
		ow_json_str(l->json, "who", clean_who);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s", kind);
	ow_grid_cell(l->grid, "%s", clean_name);
	ow_grid_cell(l->grid, "%s", clean_who);
	ow_grid_end_row(l->grid);
}

/* By name where the machine knows one, as in the configuration. */
static void put_who(FILE *out, const struct ow_who *w)
{
	const struct passwd *pw;
	const struct group *gr;

	if (w->kind == OW_WHO_LOGIN)
		fprintf(out, "login:%s", w->login);
	else if (w->kind == OW_WHO_NODE)
		fprintf(out, "node:%u%s%s", w->id,
			w->login[0] != '\0' ? "/" : "", w->login);
	else if (w->kind == OW_WHO_ANY)
		fprintf(out, "any");
	else if (w->kind == OW_WHO_USER && (pw = getpwuid(w->id)) != NULL)
		fprintf(out, "user:%s", pw->pw_name);
	else if (w->kind == OW_WHO_GROUP && (gr = getgrgid(w->id)) != NULL)
		fprintf(out, "group:%s", gr->gr_name);
	else
		fprintf(out, "%s:%u", ow_who_words[w->kind], w->id);
}

static void show_rule(struct ow_listing *l, const struct ow_rule *rule)
{
	char *text = NULL;
	size_t i, size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	for (i = 0; i < rule->n_who; i++) {
		if (i > 0)
			fputc(' ', out);
		put_who(out, &rule->who[i]);
	}
	if (rule->n_who == 0)
		fputs("none", out);
	if (fclose(out) == 0)
		put_row(l, ow_rule_words[rule->kind], rule->name, text);
	free(text);
}

static void show_security(struct ow_listing *l,
			  const struct ow_rules_security *s)
{
	char who[700];

	if (s->auth == TPNOAUTH)
		return;
	snprintf(who, sizeof(who), "%s%s%s", s->passwords,
		 s->passwords[0] != '\0' && s->authsvc[0] != '\0' ? " " : "",
		 s->authsvc);
	put_row(l, "login", s->auth == TPSYSAUTH ? "SYS" : "APP", who);
}

static void show_all(struct ow_listing *l, const struct ow_rules *rules)
{
	const struct ow_rule *rule;
	size_t i;

	if (rules == NULL)
		return;
	show_security(l, ow_rules_security(rules));
	for (i = 0; (rule = ow_rules_at(rules, i)) != NULL; i++)
		show_rule(l, rule);
}

int ow_list_acl(struct ow_args *a)
{
	struct ow_rules *rules = NULL;
	struct ow_listing l;
	struct ow_observer v;
	uint32_t guards = 0;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	r = ow_rules_load(&v.d, &guards, &rules);
	if (r != 0) {
		ow_observer_close(&v);
		return ow_cmd_fail(a, "the rules cannot be read: %s; only "
				   "servers are served until a reload",
				   strerror(-r));
	}
	r = ow_listing_begin(&l, &a->form, acl_columns);
	if (r == 0) {
		show_all(&l, rules);
		ow_listing_end(&l);
	}
	ow_rules_free(rules);
	ow_observer_close(&v);
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "no memory");
}
