/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - every element that holds one value
 *
 * The two tables are the reference of names, kinds and ranges; a new element
 * is a line here and a member in config.h.
 */
#include "ndrxd/config/check.h"

#include <stdlib.h>
#include <string.h>

#include "ndrxd/config/cmdline.h"
#include "ndrxd/config/subst.h"
#include "ndrxd/config/value.h"

#define APP(member)    offsetof(struct ow_config_app, member)
#define SERVER(member) offsetof(struct ow_config_server, member)
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

static const struct ow_field app_fields[] = {
	{ .name = "sanity", .kind = OW_FIELD_SECONDS,
	  .flags = OW_FIELD_POSITIVE, .offset = APP(sanity_ms) },
	{ .name = "checkpm", .kind = OW_FIELD_CYCLES,
	  .offset = APP(checkpm_ms) },
	{ .name = "brrefresh", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_INERT, .offset = APP(brrefresh_ms) },
	{ .name = "restart_min", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_min_ms) },
	{ .name = "restart_step", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_step_ms) },
	{ .name = "restart_max", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_max_ms) },
	{ .name = "restart_to_check", .kind = OW_FIELD_SECONDS,
	  .offset = APP(restart_to_check_ms) },
	{ .name = "gather_pq_stats", .kind = OW_FIELD_BOOL,
	  .offset = APP(gather_pq_stats) },
	{ .name = "rqaddrttl", .kind = OW_FIELD_SECONDS,
	  .flags = OW_FIELD_INERT, .offset = APP(rqaddrttl_ms) },
	{ .name = "ddrreload", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_INERT, .offset = APP(ddrreload_ms) },
	{ .name = "transport", .kind = OW_FIELD_TEXT,
	  .offset = APP(transport), .words = "posix shm" },
	{ .name = "wake", .kind = OW_FIELD_TEXT, .offset = APP(wake),
	  .words = "bell exclusive herd hot even" },
};

static const struct ow_field server_fields[] = {
	{ .name = "srvid", .kind = OW_FIELD_INT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(srvid), .lo = 1,
	  .hi = OW_CONFIG_SRVID_MAX },
	{ .name = "min", .kind = OW_FIELD_INT, .offset = SERVER(min),
	  .lo = 0, .hi = OW_CONFIG_SRVID_MAX },
	{ .name = "max", .kind = OW_FIELD_INT, .offset = SERVER(max),
	  .lo = 1, .hi = OW_CONFIG_SRVID_MAX },
	{ .name = "mindispatchthreads", .kind = OW_FIELD_INT,
	  .offset = SERVER(mindispatchthreads), .lo = 1, .hi = 1024 },
	{ .name = "maxdispatchthreads", .kind = OW_FIELD_INT,
	  .offset = SERVER(maxdispatchthreads), .lo = 1, .hi = 1024 },
	{ .name = "threadstacksize", .kind = OW_FIELD_INT,
	  .offset = SERVER(threadstacksize), .lo = -1, .hi = 4194304 },
	{ .name = "autokill", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(autokill) },
	{ .name = "respawn", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(respawn) },
	{ .name = "env", .kind = OW_FIELD_TEXT, .offset = SERVER(env_file),
	  .hi = 4095 },
	{ .name = "start_max", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(start_max_ms) },
	{ .name = "pingtime", .kind = OW_FIELD_CYCLES,
	  .offset = SERVER(pingtime_ms) },
	{ .name = "ping_max", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(ping_max_ms) },
	{ .name = "end_max", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(end_max_ms) },
	{ .name = "killtime", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(killtime_ms) },
	{ .name = "killseq", .kind = OW_FIELD_KILLSEQ,
	  .offset = SERVER(killseq) },
	{ .name = "restart_tries", .kind = OW_FIELD_INT,
	  .offset = SERVER(restart_tries), .lo = 0, .hi = 1000000 },
	{ .name = "autoscale", .kind = OW_FIELD_SCALE,
	  .offset = SERVER(scale) },
	{ .name = "sleep_after", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(sleep_after_ms) },
	{ .name = "srvstartwait", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(srvstartwait_ms) },
	{ .name = "srvstopwait", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(srvstopwait_ms) },
	{ .name = "sysopt", .kind = OW_FIELD_COMMAND,
	  .offset = SERVER(sysopt) },
	{ .name = "appopt", .kind = OW_FIELD_COMMAND,
	  .offset = SERVER(appopt) },
	{ .name = "fullpath", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(fullpath),
	  .hi = 4095 },
	{ .name = "cmdline", .kind = OW_FIELD_COMMAND,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(cmdline) },
	{ .name = "exportsvcs", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_INERT, .offset = SERVER(exportsvcs) },
	{ .name = "blacklistsvcs", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_INERT, .offset = SERVER(blacklistsvcs) },
	{ .name = "cctag", .kind = OW_FIELD_TEXT, .offset = SERVER(cctag),
	  .hi = 255 },
	{ .name = "protected", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(protect) },
	{ .name = "reloadonchange", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(reloadonchange) },
	{ .name = "rssmax", .kind = OW_FIELD_SIZE, .offset = SERVER(rssmax) },
	{ .name = "vszmax", .kind = OW_FIELD_SIZE, .offset = SERVER(vszmax) },
	{ .name = "rqaddr", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_INERT,
	  .offset = SERVER(rqaddr), .hi = 30 },
	{ .name = "procgrp", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(procgrp), .hi = 30 },
	{ .name = "procgrp_lp", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(procgrp_lp), .hi = 30 },
};

_Static_assert(COUNT(server_fields) <= OW_CONFIG_FIELDS, "draft too small");
_Static_assert(COUNT(app_fields) <= OW_CONFIG_FIELDS, "draft too small");

const struct ow_field_table ow_config_app_table = {
	.fields = app_fields, .n = COUNT(app_fields)
};
const struct ow_field_table ow_config_server_table = {
	.fields = server_fields, .n = COUNT(server_fields)
};

struct expansion {
	struct ow_config_check *check;
	const struct ow_config_node *node;
	const char *attr; /* "attribute x: " where the text is that of one */
	bool late;
	int result; /* of the notices given on the way */
};

/* Everything a parser of one kind needs. */
struct value {
	const struct ow_field *field;
	const char *text;
	uint64_t unit_ms;
	char why[OW_VALUE_WHY];
};

int ow_config_field_find(const struct ow_field_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(table->fields[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static const char *get_variable(void *arg, const char *name)
{
	struct expansion *e = arg;
	const char *value;

	if (e->late && ow_subst_is_process_variable(name))
		return NULL;
	if (e->check->clttag != NULL && strcmp(name, "NDRX_CLTTAG") == 0)
		return e->check->clttag;
	if (e->check->cltsubsect != NULL &&
	    strcmp(name, "NDRX_CLTSUBSECT") == 0)
		return e->check->cltsubsect;
	value = getenv(name);
	if (value == NULL && e->result == 0)
		e->result = ow_config_notice(
		    e->check, e->node,
		    "%s${%s} is not set in the environment; nothing is put "
		    "in its place",
		    e->attr, name);
	return value == NULL ? "" : value;
}

static int fail_subst(const struct expansion *e, int result)
{
	static const char *const why[] = {
		[OW_SUBST_UNCLOSED] =
		    "has \"${\" without a name and \"}\"; write ${NAME}, or "
		    "\\${ for the characters",
		[OW_SUBST_FUNCTION] =
		    "encrypted values (${dec=...}) are not supported; put the "
		    "value into an environment variable and write ${NAME}",
		[OW_SUBST_LONG] = "is too long with its variables replaced; "
				  "at most 65536 bytes",
	};

	if (result < 0)
		return ow_config_no_memory(e->check);
	return ow_config_fail(e->check, e->node, "%s%s", e->attr, why[result]);
}

static void say_attr(const struct ow_config_node *node, const char *text,
		     char *buf, size_t size)
{
	const struct ow_config_attr *a = node->attrs;

	while (a != NULL && a->value != text)
		a = a->next;
	if (a != NULL)
		snprintf(buf, size, "attribute %.60s: ", a->name);
}

/* Space around a value is layout, also where a variable left it over. */
static char *copy_trimmed(struct ow_arena *arena, const char *text)
{
	static const char space[] = " \t\n\r";
	size_t len;

	text += strspn(text, space);
	len = strlen(text);
	while (len > 0 && strchr(space, text[len - 1]) != NULL)
		len--;
	return ow_arena_strndup(arena, text, len);
}

int ow_config_expand(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *text,
		     bool late, const char **ret_text)
{
	char attr[80] = "";
	struct expansion e = { .check = check, .node = node, .attr = attr,
			       .late = late };
	struct ow_subst subst = { .get = get_variable, .arg = &e,
				  .keep_escapes = late };
	char *expanded = NULL;
	char *copy;
	int r;

	say_attr(node, text, attr, sizeof(attr));
	r = ow_subst(&subst, text, &expanded);
	if (r != 0)
		return fail_subst(&e, r);
	copy = copy_trimmed(check->config->arena, expanded);
	free(expanded);
	if (copy == NULL)
		return ow_config_no_memory(check);
	*ret_text = copy;
	return e.result;
}

static int set_int(struct value *v, void *member)
{
	struct ow_value_range range = { v->field->lo, v->field->hi };
	int64_t n = 0;
	int r = ow_value_int(v->text, &range, v->why, &n);

	if (r == 0)
		*(int *)member = (int)n;
	return r;
}

static int set_bool(struct value *v, void *member)
{
	return ow_value_bool(v->text, v->why, member);
}

static int set_time(struct value *v, void *member)
{
	uint64_t ms = 0;
	int r = ow_value_time(v->text, v->unit_ms, v->why, &ms);

	if (r != 0)
		return r;
	if (ms == 0 && (v->field->flags & OW_FIELD_POSITIVE) != 0) {
		snprintf(v->why, sizeof(v->why),
			 "0 is too short; give a time greater than 0");
		return OW_VALUE_BAD;
	}
	*(uint64_t *)member = ms;
	return 0;
}

static int set_size(struct value *v, void *member)
{
	return ow_value_size(v->text, v->why, member);
}

static int set_killseq(struct value *v, void *member)
{
	return ow_value_killseq(v->text, v->why, member);
}

static int set_text(struct value *v, void *member)
{
	const struct ow_field *f = v->field;
	char shown[48];

	ow_value_quote(v->text, shown, sizeof(shown));
	if (f->words != NULL && !ow_config_word_in(f->words, v->text)) {
		snprintf(v->why, sizeof(v->why),
			 "%s is not known; give one of: %s", shown, f->words);
		return OW_VALUE_BAD;
	}
	if (f->hi > 0 && strlen(v->text) > (size_t)f->hi) {
		snprintf(v->why, sizeof(v->why),
			 "%s is too long; give at most %d bytes", shown,
			 (int)f->hi);
		return OW_VALUE_BAD;
	}
	*(const char **)member = *v->text == '\0' ? NULL : v->text;
	return 0;
}

static int set_command(struct value *v, void *member)
{
	struct ow_cmdline cmd = { 0 };
	char shown[48];
	int r = ow_cmdline_split(&cmd, v->text);

	ow_cmdline_clear(&cmd);
	if (r < 0)
		return r;
	if (r > 0) {
		snprintf(v->why, sizeof(v->why), "%s %s",
			 ow_value_quote(v->text, shown, sizeof(shown)),
			 ow_cmdline_strresult(r));
		return OW_VALUE_BAD;
	}
	*(const char **)member = *v->text == '\0' ? NULL : v->text;
	return 0;
}

static int set_scale(struct value *v, void *member)
{
	struct ow_config_scale scale = { 0 };
	int r = ow_value_scale(v->text, v->why, &scale);

	if (r == 0)
		*(struct ow_config_scale *)member = scale;
	return r;
}

static int (*const setters[OW_FIELD_KINDS])(struct value *, void *) = {
	[OW_FIELD_INT] = set_int,
	[OW_FIELD_BOOL] = set_bool,
	[OW_FIELD_CYCLES] = set_time,
	[OW_FIELD_SECONDS] = set_time,
	[OW_FIELD_SIZE] = set_size,
	[OW_FIELD_KILLSEQ] = set_killseq,
	[OW_FIELD_TEXT] = set_text,
	[OW_FIELD_COMMAND] = set_command,
	[OW_FIELD_PROGRAM] = set_command,
	[OW_FIELD_SCALE] = set_scale,
};

/* `attr`: where the text stands, NULL: between the tags. */
static int set_value(struct ow_config_check *check, struct value *v,
		     const struct ow_config_node *node, const char *attr,
		     void *base)
{
	const struct ow_field *field = v->field;
	int r = ow_config_expand(check, node, v->text,
				 field->kind == OW_FIELD_COMMAND, &v->text);

	if (r != 0)
		return r;
	v->unit_ms = field->kind == OW_FIELD_CYCLES
			 ? check->config->app.sanity_ms
			 : 1000;
	r = setters[field->kind](v, (char *)base + field->offset);
	if (r > 0 && attr != NULL)
		return ow_config_fail(check, node, "attribute %s: %s", attr,
				      v->why);
	if (r > 0)
		return ow_config_fail(check, node, "%s", v->why);
	return r < 0 ? ow_config_no_memory(check) : 0;
}

int ow_config_attr_set(struct ow_config_check *check,
		       const struct ow_field *field,
		       const struct ow_config_node *node, const char *text,
		       void *base)
{
	struct value v = { .field = field, .text = text };

	return set_value(check, &v, node, field->name, base);
}

int ow_config_field_set(struct ow_config_check *check,
			const struct ow_field *field,
			const struct ow_config_node *node, void *base)
{
	struct value v = { .field = field, .text = node->text };
	int r = ow_config_check_attrs(check, node, "");

	if (r == 0 && node->children != NULL)
		r = ow_config_fail_element(check, node->children, "");
	return r != 0 ? r : set_value(check, &v, node, NULL, base);
}

void ow_config_list_names(const struct ow_field_table *table,
			  const char *more, char words[OW_CONFIG_NAMES])
{
	size_t n = (size_t)snprintf(words, OW_CONFIG_NAMES, "%s", more);

	for (size_t i = 0; i < table->n && n < OW_CONFIG_NAMES; i++)
		n += (size_t)snprintf(words + n, OW_CONFIG_NAMES - n, " %s",
				      table->fields[i].name);
}

int ow_config_note_inert(struct ow_config_check *check,
			 const struct ow_field *field,
			 const struct ow_config_node *node, uint64_t *noted)
{
	bool app = noted == &check->noted_app;
	size_t i = (size_t)(field - (app ? ow_config_app_table.fields :
					   ow_config_server_table.fields));

	if ((field->flags & OW_FIELD_INERT) == 0 || (*noted >> i & 1) != 0)
		return 0;
	*noted |= UINT64_C(1) << i;
	return ow_config_notice(check, node, "accepted, no effect yet");
}
