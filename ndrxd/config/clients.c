/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - <clients>: the programs that ndrxd keeps running
 *
 * A <client> says what its <exec> have in common; each <exec>, and each
 * number of its sub-sections, is one process. ${NDRX_CLTTAG} and
 * ${NDRX_CLTSUBSECT} differ between them, so the attributes are read anew for
 * each.
 */
#include "ndrxd/config/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ndrxd/config/value.h"

#define CLIENT(member) offsetof(struct ow_config_client, member)
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define SUBSECTS_MAX   10000
#define TAG_LEN	       60

static const struct ow_field client_fields[] = {
	{ .name = "tag", .kind = OW_FIELD_TEXT, .offset = CLIENT(tag),
	  .flags = OW_FIELD_NO_DEFAULT, .hi = TAG_LEN },
	{ .name = "subsect", .kind = OW_FIELD_TEXT,
	  .offset = CLIENT(subsect), .flags = OW_FIELD_NO_DEFAULT,
	  .hi = TAG_LEN },
	{ .name = "cmdline", .kind = OW_FIELD_PROGRAM,
	  .offset = CLIENT(cmdline) },
	{ .name = "log", .kind = OW_FIELD_TEXT, .offset = CLIENT(log),
	  .hi = 4095 },
	{ .name = "stdout", .kind = OW_FIELD_TEXT, .offset = CLIENT(out),
	  .hi = 4095 },
	{ .name = "stderr", .kind = OW_FIELD_TEXT, .offset = CLIENT(err),
	  .hi = 4095 },
	{ .name = "env", .kind = OW_FIELD_TEXT, .offset = CLIENT(env_file),
	  .hi = 4095 },
	{ .name = "cctag", .kind = OW_FIELD_TEXT, .offset = CLIENT(cctag),
	  .hi = 255 },
	{ .name = "wd", .kind = OW_FIELD_TEXT, .offset = CLIENT(wd),
	  .hi = 4095 },
	{ .name = "klevel", .kind = OW_FIELD_INT, .offset = CLIENT(klevel),
	  .lo = 0, .hi = 2 },
	{ .name = "autostart", .kind = OW_FIELD_BOOL,
	  .offset = CLIENT(autostart) },
	{ .name = "rssmax", .kind = OW_FIELD_SIZE, .offset = CLIENT(rssmax) },
	{ .name = "vszmax", .kind = OW_FIELD_SIZE, .offset = CLIENT(vszmax) },
	{ .name = "subsectfrom", .kind = OW_FIELD_TEXT,
	  .offset = CLIENT(subsectfrom), .hi = 12 },
	{ .name = "subsectto", .kind = OW_FIELD_TEXT,
	  .offset = CLIENT(subsectto), .hi = 12 },
	{ .name = "procgrp", .kind = OW_FIELD_TEXT,
	  .offset = CLIENT(procgrp), .hi = 30 },
};

const struct ow_field_table ow_config_client_table = {
	.fields = client_fields, .n = COUNT(client_fields)
};

/* ---- one process ---- */

/* Of a <client> (no tag, no subsect) or an <exec>. */
static int set_attrs(struct ow_config_check *check,
		     const struct ow_config_node *node, bool is_exec,
		     struct ow_config_client *c)
{
	char words[OW_CONFIG_NAMES];
	int r;

	ow_config_list_names(&ow_config_client_table, "", words);
	r = ow_config_check_attrs(check, node, words);
	for (size_t i = 0; i < COUNT(client_fields) && r == 0; i++) {
		const struct ow_field *f = &client_fields[i];
		const char *text = ow_config_node_attr(node, f->name);

		if (text == NULL)
			continue;
		if (!is_exec && (f->flags & OW_FIELD_NO_DEFAULT) != 0)
			return ow_config_fail(check, node,
					      "attribute %s belongs into each "
					      "<exec>",
					      f->name);
		r = ow_config_attr_set(check, f, node, text, c);
	}
	return r;
}

static int set_envs(struct ow_config_check *check,
		    const struct ow_config_node *node,
		    struct ow_config_draft *draft)
{
	int r = 0;

	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next)
		if (strcmp(n->name, "envs") == 0)
			r = ow_config_envs(check, n, false, draft);
	return r;
}

static int append(struct ow_config_check *check,
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

/* The process `subsect` of an <exec>. */
static int add_client(struct ow_config_check *check,
		      const struct ow_config_node *node, const char *tag,
		      const char *subsect)
{
	struct ow_config_client c = { .rssmax = OW_CONFIG_NO_LIMIT,
				      .vszmax = OW_CONFIG_NO_LIMIT };
	struct ow_config_draft draft = { 0 };
	int r;

	check->clttag = tag;
	check->cltsubsect = subsect;
	r = set_attrs(check, node->parent, false, &c);
	if (r == 0)
		r = set_envs(check, node->parent, &draft);
	if (r == 0)
		r = set_attrs(check, node, true, &c);
	if (r == 0)
		r = set_envs(check, node, &draft);
	if (r == 0)
		r = check_client(check, node, &c);
	check->clttag = check->cltsubsect = NULL;
	if (r != 0)
		return r;
	c.tag = tag;
	c.subsect = subsect;
	c.subsectfrom = c.subsectto = NULL;
	c.file = ow_arena_strdup(check->config->arena, node->file);
	c.line = node->line;
	c.envs = draft.envs;
	c.n_envs = draft.n_envs;
	return c.file == NULL ? ow_config_no_memory(check)
			      : append(check, &c);
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
	int r = ow_config_check_no_text(check, node);

	if (r == 0)
		r = ow_config_expand(check, node, tag == NULL ? "" : tag,
				     false, &tag);
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
				      *tag == '\0' ? "missing" : "wrong");
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

static int check_children(struct ow_config_check *check,
			  const struct ow_config_node *node, const char *words)
{
	int r = ow_config_check_no_text(check, node);

	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next)
		if (!ow_config_word_in(words, n->name))
			r = ow_config_fail_element(check, n, words);
	return r;
}

static int add_execs(struct ow_config_check *check,
		     const struct ow_config_node *client)
{
	struct ow_config_client scratch = { 0 };
	int r = check_children(check, client, "envs exec");

	/* Wrong attributes are an error even where no <exec> uses them. */
	if (r == 0)
		r = set_attrs(check, client, false, &scratch);
	for (const struct ow_config_node *n = client->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "exec") != 0)
			continue;
		r = check_children(check, n, "envs");
		if (r == 0)
			r = add_exec(check, n);
	}
	return r;
}

int ow_config_clients(struct ow_config_check *check,
		      const struct ow_config_node *section)
{
	struct ow_config_draft none = { 0 };
	int r = ow_config_check_attrs(check, section, "");

	if (r == 0)
		r = check_children(check, section, "envs client");
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "client") == 0) {
			r = add_execs(check, n);
		} else if (ow_config_node_attr(n, "group") == NULL) {
			r = ow_config_fail(check, n,
					   "has no group; write <envs "
					   "group=\"NAME\"> here, or put it "
					   "into a <client>");
		} else {
			r = ow_config_envs(check, n, true, &none);
		}
	}
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

/* ---- a client found, compared ---- */

const struct ow_config_client *
ow_config_client_find(const struct ow_config *config, const char *tag,
		      const char *subsect)
{
	for (size_t i = 0; i < config->n_clients; i++) {
		const struct ow_config_client *c = &config->clients[i];

		if (strcmp(c->tag, tag) == 0 &&
		    strcmp(c->subsect, subsect) == 0)
			return c;
	}
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int ow_config_client_same(const struct ow_config_client *a,
			  const struct ow_config_client *b)
{
	if (a->n_envs != b->n_envs)
		return 0;
	for (size_t i = 0; i < a->n_envs; i++)
		if (!same_text(a->envs[i].name, b->envs[i].name) ||
		    !same_text(a->envs[i].value, b->envs[i].value))
			return 0;
	return same_text(a->cmdline, b->cmdline) &&
	       same_text(a->log, b->log) && same_text(a->out, b->out) &&
	       same_text(a->err, b->err) &&
	       same_text(a->env_file, b->env_file) &&
	       same_text(a->cctag, b->cctag) && same_text(a->wd, b->wd) &&
	       same_text(a->procgrp, b->procgrp);
}
