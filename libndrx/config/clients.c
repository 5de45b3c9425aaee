/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - <clients>: the programs that ndrxd keeps running
 *
 * Attributes of a <client> are defaults of its <exec>; each <exec>, and each
 * number of its range of sub-sections, is one process. ${NDRX_CLTTAG} and
 * ${NDRX_CLTSUBSECT} differ between the processes, so the attributes are read
 * anew for each of them.
 */
#include "libndrx/config/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/envs.h"
#include "libndrx/config/expand.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"
#include "libndrx/config/value.h"

#define SUBSECTS_MAX 10000

/* ---- one process ---- */

static int set_envs(struct ow_config_check *check,
		    const struct ow_config_node *node,
		    struct ow_config_draft *draft)
{
	int r = 0;

	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next)
		if (strcmp(n->name, "envs") == 0)
			r = ow_config_envs(check, n, draft);
	return r;
}

int ow_config_client_add(struct ow_config_check *check,
			 const struct ow_config_client *c)
{
	struct ow_config *config = check->config;
	struct ow_config_client *clients =
	    ow_arena_push(config->arena, check->clients, config->n_clients,
			  sizeof(*clients));

	if (clients == NULL)
		return ow_config_no_memory(check);
	clients[config->n_clients++] = *c;
	check->clients = clients;
	config->clients = clients;
	return 0;
}

static int check_client(struct ow_config_check *check,
			const struct ow_config_node *node,
			const struct ow_config_client *c)
{
	if (c->cmdline == NULL)
		return ow_config_fail(check, node,
				      "attribute cmdline: missing here and in "
				      "its <client>; give the command");
	return ow_config_need_group(check, node, c->procgrp,
				    "attribute procgrp: ");
}

/* The attributes and variables of a <client> or <exec>. */
static int read_one(struct ow_config_check *check,
		    const struct ow_config_node *node,
		    struct ow_config_client *c, struct ow_config_draft *draft)
{
	int r = ow_config_attrs_set(check, &ow_config_client_table, node, c);

	return r != 0 ? r : set_envs(check, node, draft);
}

/* The process `subsect` of an <exec>. */
static int add_client(struct ow_config_check *check,
		      const struct ow_config_node *node, const char *tag,
		      const char *subsect)
{
	struct ow_config_client c = { 0 };
	struct ow_config_draft draft = { 0 };
	int r;

	ow_config_set_initial(check, &ow_config_client_table, false, &c);
	check->clttag = tag;
	check->cltsubsect = subsect;
	r = read_one(check, node->parent, &c, &draft);
	if (r == 0)
		r = read_one(check, node, &c, &draft);
	if (r == 0)
		r = check_client(check, node, &c);
	check->clttag = check->cltsubsect = NULL;
	if (r != 0)
		return r;
	c.tag = tag;
	c.subsect = subsect;
	c.file = ow_arena_strdup(check->config->arena, node->file);
	c.line = node->line;
	c.envs = draft.envs;
	c.n_envs = draft.n_envs;
	return c.file == NULL ? ow_config_no_memory(check)
			      : ow_config_client_add(check, &c);
}

/* ---- the processes of an <exec> ---- */

struct range {
	int64_t from, to;
};

/* An attribute of the <exec>, else of its <client>, expanded; "": none. */
static int expanded(struct ow_config_check *check,
		    const struct ow_config_node *node, const char *name,
		    const char **ret_text)
{
	const char *text = ow_config_node_attr(node, name);

	if (text == NULL)
		text = ow_config_node_attr(node->parent, name);
	return ow_config_expand(check, node, text == NULL ? "" : text, false,
				ret_text);
}

static int read_range(struct ow_config_check *check,
		      const struct ow_config_node *node, struct range *ret)
{
	struct ow_value_range any = { 0, INT32_MAX };
	const char *from, *to, *bad = NULL;
	char why[OW_VALUE_WHY];
	int r = expanded(check, node, "subsectfrom", &from);

	if (r == 0)
		r = expanded(check, node, "subsectto", &to);
	if (r != 0)
		return r;
	ret->from = 0;
	ret->to = -1;
	if (*from == '\0' && *to == '\0')
		return 0;
	if (ow_value_int(from, &any, why, &ret->from) != 0)
		bad = "subsectfrom";
	else if (ow_value_int(to, &any, why, &ret->to) != 0)
		bad = "subsectto";
	if (bad != NULL)
		return ow_config_fail(check, node, "attribute %s: %s", bad,
				      why);
	if (ret->to < ret->from || ret->to - ret->from >= SUBSECTS_MAX)
		return ow_config_fail(check, node,
				      "attribute subsectto: %" PRId64
				      " after subsectfrom %" PRId64
				      "; give at least as much, for at most %d "
				      "processes",
				      ret->to, ret->from, SUBSECTS_MAX);
	return 0;
}

static int add_range(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *tag,
		     const struct range *range)
{
	char text[24];
	const char *subsect;
	int r = 0;

	for (int64_t n = range->from; n <= range->to && r == 0; n++) {
		snprintf(text, sizeof(text), "%" PRId64, n);
		subsect = ow_arena_strdup(check->config->arena, text);
		r = subsect == NULL ? ow_config_no_memory(check)
				    : add_client(check, node, tag, subsect);
	}
	return r;
}

static bool word_ok(const char *s)
{
	return strpbrk(s, "/% \t\r\n") == NULL;
}

static int add_exec(struct ow_config_check *check,
		    const struct ow_config_node *node)
{
	const char *tag = ow_config_node_attr(node, "tag");
	const char *subsect = ow_config_node_attr(node, "subsect");
	struct range range;
	int r = ow_config_expand(check, node, tag, false, &tag);

	if (r == 0)
		r = ow_config_expand(check, node,
				     subsect == NULL ? "-" : subsect, false,
				     &subsect);
	if (r != 0)
		return r;
	if (*tag == '\0' || !word_ok(tag))
		return ow_config_fail(check, node,
				      "attribute tag: %s; give a name without "
				      "\"/\", \"%%\" and blanks",
				      *tag == '\0' ? "is empty" : "wrong");
	if (*subsect == '\0' || !word_ok(subsect))
		return ow_config_fail(check, node,
				      "attribute subsect: wrong; give a name "
				      "without \"/\", \"%%\" and blanks");
	r = read_range(check, node, &range);
	if (r != 0)
		return r;
	return range.to >= range.from
		   ? add_range(check, node, tag, &range)
		   : add_client(check, node, tag, subsect);
}

/* ---- sections ---- */

static int add_execs(struct ow_config_check *check,
		     const struct ow_config_node *client)
{
	struct ow_config_client scratch = { 0 };
	int r;

	/* Wrong attributes are an error even where no <exec> uses them. */
	check->clttag = check->cltsubsect = "-";
	r = ow_config_attrs_set(check, &ow_config_client_table, client,
				&scratch);
	check->clttag = check->cltsubsect = NULL;
	for (const struct ow_config_node *n = client->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "exec") == 0)
			r = add_exec(check, n);
	}
	return r;
}

int ow_config_clients(struct ow_config_check *check,
		      const struct ow_config_node *section)
{
	struct ow_config_draft none = { 0 };
	int r = 0;

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = strcmp(n->name, "client") == 0
			? add_execs(check, n)
			: ow_config_envs(check, n, &none);
	return r;
}

static int by_name(const void *a, const void *b)
{
	const struct ow_config_client *const *x = a;
	const struct ow_config_client *const *y = b;
	int r = strcmp((*x)->tag, (*y)->tag);

	return r != 0 ? r : strcmp((*x)->subsect, (*y)->subsect);
}

int ow_config_clients_unique(struct ow_config_check *check)
{
	const struct ow_config *c = check->config;
	const struct ow_config_client **sorted, *a, *b;
	int r = 0;

	if (c->n_clients < 2)
		return 0;
	sorted = calloc(c->n_clients, sizeof(*sorted));
	if (sorted == NULL)
		return ow_config_no_memory(check);
	for (size_t i = 0; i < c->n_clients; i++)
		sorted[i] = &c->clients[i];
	qsort(sorted, c->n_clients, sizeof(*sorted), by_name);
	for (size_t i = 1; i < c->n_clients && r == 0; i++) {
		a = sorted[i - 1];
		b = sorted[i];
		if (by_name(&sorted[i - 1], &sorted[i]) != 0)
			continue;
		snprintf(check->err->text, sizeof(check->err->text),
			 "%.160s:%u: <exec tag=\"%s\" subsect=\"%s\">: is "
			 "there twice, also at %.160s:%u; give each its own",
			 b->file, b->line, b->tag, b->subsect, a->file,
			 a->line);
		r = OW_CONFIG_BAD;
	}
	free(sorted);
	return r;
}
