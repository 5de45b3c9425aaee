/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - <servers> and their <defaults>
 *
 * The draft of a server starts as a copy of the defaults. It remembers which
 * element set each field, because two elements that contradict each other may
 * stand in two places.
 */
#include "libndrx/config/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/cmdline.h"
#include "libndrx/config/envs.h"
#include "libndrx/config/expand.h"
#include "libndrx/config/origin.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"
#include "libndrx/config/value.h"

/* A text without the blanks at its ends; NULL: nothing is left. */
static int keep_part(struct ow_config_check *check, const char *begin,
		     const char *end, const char **ret)
{
	static const char space[] = " \t\n\r";

	*ret = NULL;
	begin += strspn(begin, space);
	while (end > begin && strchr(space, end[-1]) != NULL)
		end--;
	if (end <= begin)
		return 0;
	*ret = ow_arena_strndup(check->config->arena, begin,
				(size_t)(end - begin));
	return *ret == NULL ? ow_config_no_memory(check) : 0;
}

/* <clopt> is <sysopt> and <appopt> in one. */
static int split_clopt(struct ow_config_check *check,
		       struct ow_config_draft *draft,
		       const struct ow_config_node *node)
{
	const struct ow_field_table *t = &ow_config_server_table;
	const char *begin, *behind, *all;
	int r = ow_config_expand(check, node, node->text, true, &all);

	if (r != 0)
		return r;
	if (ow_cmdline_dashes(all, &begin, &behind) != 0)
		return ow_config_no_memory(check); /* its words were checked */
	draft->set[ow_config_field_find(t, "sysopt")] = node;
	draft->set[ow_config_field_find(t, "appopt")] = node;
	r = keep_part(check, all, begin, &draft->server.sysopt);
	return r != 0 ? r : keep_part(check, behind, behind + strlen(behind),
				      &draft->server.appopt);
}

static int set_field(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_draft *draft)
{
	const struct ow_field_table *t = &ow_config_server_table;
	int i = ow_config_field_find(t, node->name);
	int r = ow_config_note_inert(check, t, i, node, &check->noted_server);

	if (r == 0)
		r = ow_config_field_set(check, &t->fields[i], node,
					&draft->server);
	if (r == 0 && strcmp(node->name, "clopt") == 0)
		return split_clopt(check, draft, node);
	draft->set[i] = node;
	return r;
}

static int read_elements(struct ow_config_check *check,
			 const struct ow_config_node *parent,
			 struct ow_config_draft *draft)
{
	int r = 0;

	for (const struct ow_config_node *n = parent->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "envs") == 0)
			r = ow_config_envs(check, n, draft);
		else if (strcmp(n->name, "usegroup") == 0 ||
			 (strcmp(n->name, "env") == 0 && n->attrs != NULL))
			r = ow_config_env_item(check, n, draft);
		else
			r = set_field(check, n, draft);
	}
	return r;
}

static const struct ow_config_node *
set_by(const struct ow_config_draft *draft, const char *name)
{
	int i = ow_config_field_find(&ow_config_server_table, name);

	return i < 0 ? NULL : draft->set[i];
}

/* An error about two values, with the lines of both. */
static int fail_pair(struct ow_config_check *check,
		     const struct ow_config_draft *draft,
		     const struct ow_config_node *server, const char *low,
		     const char *high)
{
	const struct ow_config_node *lo = set_by(draft, low);
	const struct ow_config_node *hi = set_by(draft, high);
	const struct ow_config_node *at = server;

	if (hi != NULL && hi->parent == server)
		at = hi;
	if (lo != NULL && lo->parent == server)
		at = lo;
	return ow_config_fail(check, at,
			      "<%s> is %s (line %u) and <%s> is %s (line %u); "
			      "give a <%s> that is not greater than <%s>",
			      low, lo != NULL ? lo->text : "not given",
			      lo != NULL ? lo->line : 0, high,
			      hi != NULL ? hi->text : "not given",
			      hi != NULL ? hi->line : 0, low, high);
}

static int check_name(struct ow_config_check *check,
		      const struct ow_config_node *node,
		      struct ow_config_draft *draft)
{
	const char *name = ow_config_node_attr(node, "name");
	char shown[72];
	int r = ow_config_expand(check, node, name, false, &name);
	if (r != 0)
		return r;
	ow_value_quote(name, shown, sizeof(shown));
	if (*name == '\0' || strpbrk(name, "/, \t\r\n") != NULL)
		return ow_config_fail(check, node,
				      "%s is no program name; give one without "
				      "\"/\", \",\" and spaces, and the path "
				      "in <fullpath>",
				      shown);
	if (strlen(name) > OW_CONFIG_SERVER_NAME_LEN)
		return ow_config_fail(check, node,
				      "the name %s is too long; give at most "
				      "%d bytes",
				      shown, OW_CONFIG_SERVER_NAME_LEN);
	draft->server.name = name;
	return 0;
}

static int check_counts(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_draft *draft)
{
	struct ow_config_server *s = &draft->server;

	if (s->max == 0)
		s->max = s->min > 0 ? s->min : 1;
	if (s->min > s->max)
		return fail_pair(check, draft, node, "min", "max");
	if (s->srvid + s->max - 1 > OW_CONFIG_SRVID_MAX)
		return ow_config_fail(check, node,
				      "<srvid> %d and <max> %d need ids up to "
				      "%d; the greatest id is %d",
				      s->srvid, s->max, s->srvid + s->max - 1,
				      OW_CONFIG_SRVID_MAX);
	if (s->maxdispatchthreads == 0)
		s->maxdispatchthreads = s->mindispatchthreads;
	if (s->mindispatchthreads > s->maxdispatchthreads)
		return fail_pair(check, draft, node, "mindispatchthreads",
				 "maxdispatchthreads");
	return 0;
}

static int group_number(const struct ow_config *config, const char *name)
{
	const struct ow_config_procgroup *g =
	    ow_config_procgroup_find(config, name);

	return g == NULL ? 0 : g->grpno;
}

static bool is_last_resource(const struct ow_config *config, const char *name)
{
	const struct ow_config_procgroup *g =
	    ow_config_procgroup_find(config, name);

	return g != NULL && g->last_resource;
}

/* Do the groups exist that the draft names? */
static int check_names(struct ow_config_check *check,
		       const struct ow_config_draft *draft)
{
	const struct ow_config_server *s = &draft->server;
	int r;

	if (s->rqaddr != NULL && s->rqaddr[0] == '@')
		return ow_config_fail(check, set_by(draft, "rqaddr"),
				      "must not start with \"@\"; give another "
				      "name");
	r = ow_config_need_group(check, set_by(draft, "procgrp"), s->procgrp,
				 "");
	if (r != 0)
		return r;
	return ow_config_need_group(check, set_by(draft, "procgrp_lp"),
				    s->procgrp_lp, "");
}

static int finish_server(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 struct ow_config_draft *draft)
{
	struct ow_config_server *s = &draft->server;
	int r = check_counts(check, node, draft);

	if (r != 0)
		return r;
	if (s->ping_max_ms == 0)
		s->ping_max_ms = 4 * s->pingtime_ms;
	r = check_names(check, draft);
	s->procgrp_no = group_number(check->config, s->procgrp);
	s->last_resource = is_last_resource(check->config, s->procgrp);
	s->procgrp_lp_no = group_number(check->config, s->procgrp_lp);
	if (r == 0 && s->scale.wait_ms > 0 && s->min == s->max)
		r = ow_config_notice(check, set_by(draft, "autoscale"),
				     "no effect: <min> and <max> are %d; give "
				     "a <max> above <min>",
				     s->max);
	if (r == 0 && s->svctimeout_ms > 0 && s->pingtime_ms == 0 &&
	    !check->noted_svctimeout) {
		check->noted_svctimeout = true;
		r = ow_config_notice(check, node,
				     "<svctimeout> has no effect without "
				     "<pingtime>: give one");
	}
	if (r != 0)
		return r;
	s->file = ow_arena_strdup(check->config->arena, node->file);
	if (s->file == NULL)
		return ow_config_no_memory(check);
	s->line = node->line;
	s->envs = draft->envs;
	s->n_envs = draft->n_envs;
	return ow_config_origins(check, &ow_config_server_table, draft->set,
				 &s->origins);
}

/* <min> is 0 where nothing else is said: rarely what the user wants. */
static int note_min(struct ow_config_check *check,
		    const struct ow_config_node *node,
		    const struct ow_config_draft *draft)
{
	if (draft->server.min > 0 || set_by(draft, "min") != NULL)
		return 0;
	return ow_config_notice(check, node, "has no <min>, and the default "
				"is 0: `xadmin start` starts none; give it "
				"<min>1</min>");
}

static int add_server(struct ow_config_check *check,
		      const struct ow_config_node *node)
{
	struct ow_config_draft draft = check->defaults;
	struct ow_config *config = check->config;
	struct ow_config_server *servers;
	int r = ow_config_envs_unshare(check, node, &draft);

	if (r == 0)
		r = check_name(check, node, &draft);
	if (r == 0)
		r = read_elements(check, node, &draft);
	if (r == 0)
		r = finish_server(check, node, &draft);
	if (r == 0 && ow_config_is_replaced(&draft.server))
		r = ow_config_replace(check, node, &draft.server);
	if (r == 0)
		r = note_min(check, node, &draft);
	if (r != 0)
		return r;
	servers = ow_arena_push(config->arena, check->servers,
				config->n_servers, sizeof(*servers));
	if (servers == NULL)
		return ow_config_no_memory(check);
	servers[config->n_servers++] = draft.server;
	check->servers = servers;
	config->servers = servers;
	return 0;
}

void ow_config_defaults_init(struct ow_config_check *check)
{
	ow_config_set_initial(check, &ow_config_server_table, false,
			      &check->defaults.server);
}

int ow_config_defaults(struct ow_config_check *check,
		       const struct ow_config_node *section)
{
	struct ow_config_draft *draft = &check->defaults;
	int r = read_elements(check, section, draft);

	return r != 0 ? r : check_names(check, draft);
}

int ow_config_servers(struct ow_config_check *check,
		      const struct ow_config_node *section)
{
	int r = 0;

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = add_server(check, n);
	return r;
}

static int by_srvid(const void *a, const void *b)
{
	const struct ow_config_server *const *x = a;
	const struct ow_config_server *const *y = b;

	if ((*x)->srvid != (*y)->srvid)
		return (*x)->srvid < (*y)->srvid ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static int fail_overlap(struct ow_config_check *check,
			const struct ow_config_server *a,
			const struct ow_config_server *b)
{
	const struct ow_config_server *first = a < b ? a : b;
	const struct ow_config_server *second = a < b ? b : a;

	snprintf(check->err->text, sizeof(check->err->text),
		 "%.120s:%u: <server name=\"%s\">: <srvid>: ids %d to %d "
		 "overlap with ids %d to %d of <server name=\"%s\"> at "
		 "%.120s:%u; give each server ids of its own",
		 second->file, second->line, second->name, second->srvid,
		 second->srvid + second->max - 1, first->srvid,
		 first->srvid + first->max - 1, first->name, first->file,
		 first->line);
	return OW_CONFIG_BAD;
}

int ow_config_server_overlaps(struct ow_config_check *check)
{
	const struct ow_config *config = check->config;
	const struct ow_config_server **sorted;
	int r = 0;

	if (config->n_servers < 2)
		return 0;
	sorted = calloc(config->n_servers, sizeof(const void *));
	if (sorted == NULL)
		return ow_config_no_memory(check);
	for (size_t i = 0; i < config->n_servers; i++)
		sorted[i] = &config->servers[i];
	qsort(sorted, config->n_servers, sizeof(const void *), by_srvid);
	for (size_t i = 1; i < config->n_servers && r == 0; i++) {
		if (sorted[i - 1]->srvid + sorted[i - 1]->max >
		    sorted[i]->srvid)
			r = fail_overlap(check, sorted[i - 1], sorted[i]);
	}
	free(sorted);
	return r;
}
