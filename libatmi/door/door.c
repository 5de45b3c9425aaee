/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door.c - may the sender of a request do what it asks for?
 */
#include "libatmi/door/door.h"

#include <errno.h>
#include <grp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

int ow_door_read(struct ow_door *door, struct ow_domain *d)
{
	struct ow_rules *rules = NULL;
	uint32_t guards = 0;
	int r;

	if (ow_rules_guards(d) == door->guards)
		return 0;
	r = ow_rules_load(d, &guards, &rules);
	if (r != 0)
		return r;
	ow_rules_free(door->rules);
	door->rules = rules;
	door->guards = guards;
	return 0;
}

void ow_door_close(struct ow_door *door)
{
	door->rules = ow_rules_free(door->rules);
	door->guards = 0;
}

/* A process of the domain's user: it has the groups of that user. */
static void assume_own(struct ow_caller *c)
{
	gid_t groups[OW_CALLER_GROUPS];
	int i, n = getgroups((int)OW_CALLER_GROUPS, groups);

	memset(c, 0, sizeof(*c));
	c->uid = geteuid();
	c->gid = getegid();
	for (i = 0; i < n; i++)
		c->groups[i] = groups[i];
	c->n_groups = n > 0 ? (uint32_t)n : 0;
}

/* Also when it has left since, as long as nobody else has its slot. */
static bool is_runtime(const struct ow_tables *t, uint32_t slot, uint32_t gen)
{
	const struct ow_clt *c = &t->clt[slot];
	uint32_t runtime, now;

	if (slot >= atomic_load(&t->head->clt_high))
		return false;
	runtime = c->runtime;
	atomic_thread_fence(memory_order_acquire);
	now = atomic_load(&c->gen);
	return (now == gen || now == gen + 1) && runtime != 0;
}

int ow_door_who(struct ow_domain *d, uint32_t slot, uint32_t gen,
		struct ow_caller *ret, bool *ret_runtime)
{
	int r = OW_CALLERS_ABSENT;

	*ret_runtime = false;
	if (gen != 0)
		r = ow_callers_read(d, slot, gen, ret);
	if (r != OW_CALLERS_ABSENT)
		return r;
	assume_own(ret);
	*ret_runtime = gen != 0 && is_runtime(d->tables, slot, gen);
	return 0;
}

bool ow_door_authorizes(const struct ow_door *door, enum ow_rule_kind kind,
			const char *name, const struct ow_caller *c)
{
	const struct ow_rule *rule;

	if (door->rules == NULL)
		return true;
	rule = ow_rules_find(door->rules, kind, name);
	return rule == NULL || ow_rule_authorizes(rule, c);
}

static bool authorizes_node(const struct ow_door *door, enum ow_rule_kind kind,
			    const char *name, uint32_t node, const char *login)
{
	const struct ow_rule *rule = ow_rules_find(door->rules, kind, name);

	if (rule != NULL && ow_rule_names_remote(rule, node, login))
		return true;
	if ((door->guards & OW_GUARD_AUTH) != 0 && login[0] == '\0')
		return false;
	return rule == NULL || ow_rule_is_open(rule);
}

bool ow_door_authorizes_remote(const struct ow_door *door, const char *svc,
			       uint32_t node, const char *login)
{
	if (door->rules == NULL)
		return true;
	if (strcmp(ow_rules_security(door->rules)->authsvc, svc) == 0)
		return false;
	return authorizes_node(door, OW_RULE_CALL, svc, node, login);
}

bool ow_door_authorizes_post(const struct ow_door *door, const char *event,
			     uint32_t node)
{
	return door->rules == NULL ||
	       authorizes_node(door, OW_RULE_POST, event, node, "");
}

bool ow_door_is_stranger(const struct ow_door *door, const struct ow_caller *c)
{
	return (door->guards & OW_GUARD_AUTH) != 0 && c->login[0] == '\0';
}
