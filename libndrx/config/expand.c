/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.c - variables in the text of an element or attribute
 */
#include "libndrx/config/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/say.h"
#include "libndrx/config/subst.h"
#include "libubf/base/variable.h"

struct expansion {
	struct ow_config_check *check;
	const struct ow_config_node *node;
	const char *attr; /* "attribute x: ", "" for the text of an element */
	bool late;
	int result; /* of the notices */
};

/* The variable as entries before this one set it. False: they do not. */
static bool set_before(const struct ow_config_draft *before, const char *name,
		       const char **ret_value)
{
	for (size_t i = before != NULL ? before->n_envs : 0; i > 0; i--) {
		if (strcmp(before->envs[i - 1].name, name) != 0)
			continue;
		*ret_value = before->envs[i - 1].value;
		return true;
	}
	return false;
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
	if (!set_before(e->check->before, name, &value))
		value = ow_variable(name);
	if (value == NULL && e->result == 0)
		e->result = ow_config_notice(
		    e->check, e->node,
		    "%s${%s} is not set in the environment; nothing is put "
		    "in its place",
		    e->attr, name);
	return value == NULL ? "" : value;
}

static int fail_subst(const struct expansion *e, int result, const char *reason)
{
	if (result < 0)
		return ow_config_no_memory(e->check);
	if (result == OW_SUBST_ENCRYPTED)
		return ow_config_fail(e->check, e->node, "%s${dec=...}: %s",
				      e->attr, reason);
	return ow_config_fail(e->check, e->node, "%s%s", e->attr,
			      ow_subst_strresult(result));
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

/* Space around a value is layout, also next to an empty variable. */
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
	char attr[80] = "", why[OW_CCONFIG_WHY];
	struct expansion e = { .check = check, .node = node, .attr = attr,
			       .late = late };
	struct ow_subst subst = { .get = get_variable, .arg = &e,
				  .keep_escapes = late, .key = &check->key,
				  .why = why };
	char *expanded = NULL;
	char *copy;
	int r;

	say_attr(node, text, attr, sizeof(attr));
	r = ow_subst(&subst, text, &expanded);
	if (r != 0)
		return fail_subst(&e, r, why);
	copy = copy_trimmed(check->config->arena, expanded);
	free(expanded);
	if (copy == NULL)
		return ow_config_no_memory(check);
	*ret_text = copy;
	return e.result;
}
