/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envs.c - lists of environment variables
 *
 * Groups are defined in <defaults> and used by name; the effective list of a
 * server is flat and in the order of the file, so a later entry wins. A value may
 * refer to entries before it.
 */
#include "libndrx/config/envs.h"

#include <string.h>

#include "libatmi/base/encrypted.h"
#include "libndrx/config/expand.h"
#include "libndrx/config/origin.h"
#include "libndrx/config/say.h"
#include "libndrx/config/value.h"

/* Bounded, because groups of groups can double a list with each line. */
enum { ENVS_MAX = 4096 };

static int append(struct ow_config_check *check,
		  const struct ow_config_node *node,
		  struct ow_config_draft *draft,
		  const struct ow_config_env *env)
{
	struct ow_config_env *envs;

	if (draft->n_envs >= ENVS_MAX)
		return ow_config_fail(check, node,
				      "makes the list of variables too long; "
				      "give at most %d, groups included",
				      ENVS_MAX);
	envs = ow_arena_push(check->config->arena, draft->envs, draft->n_envs,
			     sizeof(*envs));
	if (envs == NULL)
		return ow_config_no_memory(check);
	envs[draft->n_envs++] = *env;
	draft->envs = envs;
	return 0;
}

static int append_group(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_draft *draft,
			const struct ow_config_group *group)
{
	int r = 0;

	for (size_t i = 0; i < group->n_envs && r == 0; i++)
		r = append(check, node, draft, &group->envs[i]);
	return r;
}

int ow_config_envs_unshare(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   struct ow_config_draft *draft)
{
	struct ow_config_group shared = { .envs = draft->envs,
					  .n_envs = draft->n_envs };

	draft->envs = NULL;
	draft->n_envs = 0;
	return append_group(check, node, draft, &shared);
}

static struct ow_config_group *find_group(struct ow_config_check *check,
					  const char *name)
{
	for (size_t i = 0; i < check->n_groups; i++) {
		if (strcmp(check->groups[i].name, name) == 0)
			return &check->groups[i];
	}
	return NULL;
}

static int use_group(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_draft *draft)
{
	const struct ow_config_group *g;
	const char *name;
	char shown[48];
	int r = ow_config_expand(check, node, node->text, false, &name);

	if (r != 0)
		return r;
	g = find_group(check, name);
	if (g == NULL)
		return ow_config_fail(
		    check, node,
		    "there is no group %s; define it with <envs group=\"...\">"
		    " in <defaults>",
		    ow_value_quote(name, shown, sizeof(shown)));
	return append_group(check, node, draft, g);
}

static int env_name(struct ow_config_check *check,
		    const struct ow_config_node *node, const char **ret_name)
{
	const char *name = ow_config_node_attr(node, "name");
	int r = ow_config_expand(check, node, name, false, &name);

	if (r != 0)
		return r;
	if (*name == '\0' || strchr(name, '=') != NULL)
		return ow_config_fail(check, node,
				      "is no name of a variable; give one "
				      "without \"=\"");
	*ret_name = name;
	return 0;
}

static bool refers_to(const char *text, const char *name)
{
	char reference[300];

	snprintf(reference, sizeof(reference), "${%.250s}", name);
	return strstr(text, reference) != NULL;
}

/* Has the text an encrypted value, or the name of a variable that has one? */
static bool has_encrypted(const struct ow_config_draft *draft, const char *text)
{
	if (strstr(text, "${" OW_ENCRYPTED_MARK) != NULL)
		return true;
	for (size_t i = 0; i < draft->n_envs; i++)
		if (draft->envs[i].is_encrypted &&
		    refers_to(text, draft->envs[i].name))
			return true;
	return false;
}

/* Has the text the value that ndrxd was started with of the variable itself, as
 * ${PATH}:DIR has, or of another one that has? */
static bool is_added(const struct ow_config_draft *draft, const char *name,
		     const char *text)
{
	bool first = true;

	for (size_t i = 0; i < draft->n_envs; i++) {
		if (draft->envs[i].is_added &&
		    refers_to(text, draft->envs[i].name))
			return true;
		first = first && strcmp(draft->envs[i].name, name) != 0;
	}
	return first && refers_to(text, name);
}

static int set_variable(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_draft *draft)
{
	const char *unset = ow_config_node_attr(node, "unset");
	struct ow_config_env env = { 0 };
	char why[OW_VALUE_WHY];
	bool remove = false;
	int r = env_name(check, node, &env.name);

	if (r == 0 && unset != NULL &&
	    ow_value_bool(unset, why, &remove) != 0)
		r = ow_config_fail(check, node, "attribute unset: %s", why);
	check->before = draft;
	env.is_encrypted = !remove && has_encrypted(draft, node->text);
	env.is_added = r == 0 && !remove &&
		       is_added(draft, env.name, node->text);
	if (r == 0 && !remove)
		r = ow_config_expand(check, node, node->text,
				     env.is_encrypted, &env.value);
	check->before = NULL;
	if (r == 0)
		r = ow_config_origin(check, node, &env.origin);
	return r != 0 ? r : append(check, node, draft, &env);
}

int ow_config_env_item(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       struct ow_config_draft *draft)
{
	return strcmp(node->name, "usegroup") == 0
		   ? use_group(check, node, draft)
		   : set_variable(check, node, draft);
}

static int collect(struct ow_config_check *check,
		   const struct ow_config_node *node,
		   struct ow_config_draft *draft)
{
	int r = 0;

	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next)
		r = ow_config_env_item(check, n, draft);
	return r;
}

/* Variables for a group that is there already. */
static int add_to_group(struct ow_config_check *check,
			const struct ow_config_node *node,
			struct ow_config_group *group)
{
	struct ow_config_draft draft = { .envs = group->envs,
					 .n_envs = group->n_envs };
	char shown[48];
	int r = ow_config_notice(check, node, "group %s is defined twice: the "
				 "variables of both are in it",
				 ow_value_quote(group->name, shown,
						sizeof(shown)));

	if (r == 0)
		r = collect(check, node, &draft);
	group->envs = draft.envs;
	group->n_envs = draft.n_envs;
	return r;
}

static int define_group(struct ow_config_check *check,
			const struct ow_config_node *node, const char *name)
{
	struct ow_config_group *groups = find_group(check, name);
	struct ow_config_draft draft = { 0 };
	int r;

	if (*name == '\0')
		return ow_config_fail(check, node, "group \"\" is empty; give "
				      "each group a name");
	if (groups != NULL)
		return add_to_group(check, node, groups);
	r = collect(check, node, &draft);
	if (r != 0)
		return r;
	groups = ow_arena_push(check->config->arena, check->groups,
			       check->n_groups, sizeof(*groups));
	name = ow_arena_strdup(check->config->arena, name);
	if (groups == NULL || name == NULL)
		return ow_config_no_memory(check);
	groups[check->n_groups++] = (struct ow_config_group){
		.name = name, .envs = draft.envs, .n_envs = draft.n_envs
	};
	check->groups = groups;
	return 0;
}

int ow_config_envs(struct ow_config_check *check,
		   const struct ow_config_node *node,
		   struct ow_config_draft *draft)
{
	const char *group = ow_config_node_attr(node, "group");

	return group == NULL ? collect(check, node, draft)
			     : define_group(check, node, group);
}
