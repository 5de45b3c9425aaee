/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - one <server> entry, or what <defaults> says for all
 *
 * A draft starts as a copy of the defaults and remembers which element set
 * each field, because a contradiction may lie between two places.
 */
#include "ndrxd/config/check.h"

#include <stdlib.h>
#include <string.h>

#include "ndrxd/config/value.h"

enum { NAME_LEN = 64 };

void ow_config_server_init(struct ow_config_server *s)
{
	s->respawn = true;
	s->start_max_ms = 60000;
	s->end_max_ms = 30000;
	s->killtime_ms = 5000;
	s->killseq[0] = 2;
	s->killseq[1] = 15;
	s->killseq[2] = 9;
	s->srvstartwait_ms = 30000;
	s->srvstopwait_ms = 30000;
	s->rssmax = OW_CONFIG_NO_LIMIT;
	s->vszmax = OW_CONFIG_NO_LIMIT;
	s->mindispatchthreads = 1;
}

static int server_field(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_draft *draft)
{
	const struct ow_field_table *t = &ow_config_server_table;
	int i = ow_config_field_find(t, node->name);
	char words[OW_CONFIG_NAMES];
	int r;

	if (i < 0) {
		ow_config_list_names(t, "envs usegroup", words);
		return ow_config_fail_element(check, node, words);
	}
	if (draft == &check->defaults &&
	    (t->fields[i].flags & OW_FIELD_NO_DEFAULT) != 0)
		return ow_config_fail(check, node,
				      "cannot have a default; give it in each "
				      "<server>");
	if (draft->set[i] != NULL && draft->set[i]->parent == node->parent)
		return ow_config_fail_twice(check, node, draft->set[i]);
	draft->set[i] = node;
	r = ow_config_note_inert(check, &t->fields[i], node,
				 &check->noted_server);
	if (r != 0)
		return r;
	return ow_config_field_set(check, &t->fields[i], node,
				   &draft->server);
}

int ow_config_server_elements(struct ow_config_check *check,
			      const struct ow_config_node *parent,
			      struct ow_config_draft *draft)
{
	bool is_defaults = draft == &check->defaults;
	int r = ow_config_check_no_text(check, parent);

	for (const struct ow_config_node *n = parent->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "envs") == 0)
			r = ow_config_envs(check, n, is_defaults, draft);
		else if (strcmp(n->name, "usegroup") == 0 ||
			 (strcmp(n->name, "env") == 0 && n->attrs != NULL))
			r = ow_config_env_item(check, n, draft);
		else
			r = server_field(check, n, draft);
	}
	return r;
}

static const struct ow_config_node *
set_by(const struct ow_config_draft *draft, const char *name)
{
	int i = ow_config_field_find(&ow_config_server_table, name);

	return i < 0 ? NULL : draft->set[i];
}

/* An error about two values; where the other one comes from may be far. */
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
	int r;

	if (name == NULL)
		return ow_config_fail(check, node,
				      "has no name; write <server "
				      "name=\"program\">");
	r = ow_config_expand(check, node, name, false, &name);
	if (r != 0)
		return r;
	ow_value_quote(name, shown, sizeof(shown));
	if (*name == '\0' || strpbrk(name, "/, \t\r\n") != NULL)
		return ow_config_fail(check, node,
				      "%s is no program name; give one without "
				      "\"/\", \",\" and spaces, and the path "
				      "in <fullpath>",
				      shown);
	if (strlen(name) > NAME_LEN)
		return ow_config_fail(check, node,
				      "the name %s is too long; give at most "
				      "%d bytes",
				      shown, NAME_LEN);
	draft->server.name = name;
	return 0;
}

static int check_counts(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_draft *draft)
{
	struct ow_config_server *s = &draft->server;

	if (s->srvid == 0)
		return ow_config_fail(check, node,
				      "has no <srvid>; add one, an integer "
				      "from 1 to %d that no other server has",
				      OW_CONFIG_SRVID_MAX);
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

int ow_config_server_names(struct ow_config_check *check,
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
	r = ow_config_server_names(check, draft);
	s->procgrp_no = group_number(check->config, s->procgrp);
	s->procgrp_lp_no = group_number(check->config, s->procgrp_lp);
	if (r == 0 && s->scale.wait_ms > 0 && s->min == s->max)
		r = ow_config_notice(check, set_by(draft, "autoscale"),
				     "no effect: <min> and <max> are %d; give "
				     "a <max> above <min>",
				     s->max);
	if (r == 0 && s->maxdispatchthreads > 1 && !check->noted_threads) {
		check->noted_threads = true;
		r = ow_config_notice(check, node,
				     "<maxdispatchthreads> %d: accepted; a "
				     "server works with one thread: give it "
				     "more instances by <max>",
				     s->maxdispatchthreads);
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

/* Programs of other runtimes whose work ndrxd does itself. */
static bool done_here(const struct ow_config_server *s)
{
	return s->fullpath == NULL && s->cmdline == NULL &&
	       ow_config_word_in("cpmsrv exsinglesv exsingleckl exsingleckr",
				 s->name);
}

int ow_config_server(struct ow_config_check *check,
			const struct ow_config_node *node)
{
	struct ow_config_draft draft = check->defaults;
	struct ow_config *config = check->config;
	struct ow_config_server *servers;
	int r = ow_config_check_attrs(check, node, "name");

	if (r == 0)
		r = ow_config_envs_unshare(check, node, &draft);
	if (r == 0)
		r = check_name(check, node, &draft);
	if (r == 0)
		r = ow_config_server_elements(check, node, &draft);
	if (r == 0)
		r = finish_server(check, node, &draft);
	if (r == 0 && done_here(&draft.server))
		return ow_config_notice(check, node,
					"accepted, needs no process: ndrxd "
					"itself looks after %s",
					draft.server.name[0] == 'c'
					    ? "<clients>"
					    : "locks of <procgroups>");
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
