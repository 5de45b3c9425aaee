/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - <services>: priorities of their calls
 *
 * Names and values have been checked by config/other.c. Routing and
 * transactions of a service have no effect yet.
 */
#include "ndrxd/config/check.h"

#include <stdlib.h>
#include <string.h>

#define PRIO(member) offsetof(struct ow_config_service, member)

static const struct ow_field service_fields[] = {
	{ .name = "svcnm", .kind = OW_FIELD_TEXT, .offset = PRIO(name) },
	{ .name = "prio", .kind = OW_FIELD_INT, .offset = PRIO(prio) },
};

const struct ow_field_table ow_config_service_table = {
	.fields = service_fields, .n = 2
};

static int set_prio(struct ow_config_check *check,
		    const struct ow_config_node *node, int *prio)
{
	const char *text = ow_config_node_attr(node, "prio");

	if (text == NULL)
		return 0;
	if (strstr(text, "${") != NULL)
		return ow_config_notice(check, node, "prio with a variable in "
					"it: no effect");
	*prio = atoi(text);
	return 0;
}

static int note_inert(struct ow_config_check *check,
		      const struct ow_config_node *node)
{
	if (ow_config_node_attr(node, "routing") == NULL &&
	    ow_config_node_attr(node, "autotran") == NULL &&
	    ow_config_node_attr(node, "trantime") == NULL)
		return 0;
	return ow_config_notice(check, node, "routing, autotran and trantime "
				"are accepted, no effect yet");
}

static int add_service(struct ow_config_check *check,
		       const struct ow_config_node *node, int prio)
{
	struct ow_config *c = check->config;
	struct ow_config_service s = { .line = node->line }, *all;
	int r = 0;

	s.prio = prio;
	r = set_prio(check, node, &s.prio);
	if (r != 0)
		return r;
	s.name = ow_arena_strdup(c->arena,
				 ow_config_node_attr(node, "svcnm"));
	s.file = ow_arena_strdup(c->arena, node->file);
	all = ow_arena_push(c->arena, check->services, c->n_services,
			    sizeof(*all));
	if (s.name == NULL || s.file == NULL || all == NULL)
		return ow_config_no_memory(check);
	all[c->n_services++] = s;
	check->services = all;
	c->services = all;
	return 0;
}

int ow_config_services(struct ow_config_check *check,
		       const struct ow_config_node *section)
{
	int prio = OW_CONFIG_PRIO, r = 0;

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next) {
		r = note_inert(check, n);
		if (r == 0 && strcmp(n->name, "defaults") == 0)
			r = set_prio(check, n, &prio);
		else if (r == 0)
			r = add_service(check, n, prio);
	}
	return r;
}
