/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - a tree of elements made a configuration
 *
 * The sections may stand in any order in the file, but need each other: times
 * are counted in the <sanity> of <appconfig>; servers and clients name
 * <procgroups>; every server starts from <defaults>; clients may use groups of
 * variables that <defaults> defines.
 */
#include "libndrx/config/check.h"

#include <string.h>

#include "libndrx/config/sections.h"
#include "libndrx/config/shape.h"
#include "libndrx/config/state.h"

static const struct {
	const char *name;
	int (*read)(struct ow_config_check *, const struct ow_config_node *);
} sections[] = {
	{ "services", ow_config_services },
	{ "access", ow_config_access },
	{ "security", ow_config_security },
	{ "event", ow_config_event },
	{ "cluster", ow_config_cluster },
	{ "routing", ow_config_routing },
	{ "http", ow_config_http },
	{ "appconfig", ow_config_app },
	{ "procgroups", ow_config_procgroups },
};

/* All sections of a name. */
static int read_all(struct ow_config_check *check,
		    const struct ow_config_node *root, const char *name,
		    int (*fn)(struct ow_config_check *,
			      const struct ow_config_node *))
{
	int r = 0;

	for (const struct ow_config_node *n = root->children;
	     n != NULL && r == 0; n = n->next)
		if (strcmp(n->name, name) == 0)
			r = fn(check, n);
	return r;
}

static const struct ow_config_node *
first_defaults(const struct ow_config_node *root)
{
	const struct ow_config_node *n = root->children;

	while (n != NULL && strcmp(n->name, "defaults") != 0)
		n = n->next;
	return n;
}

/* The first <defaults> hold for all servers, wherever it stands; each further
 * one changes them for what follows. */
static int read_servers(struct ow_config_check *check,
			const struct ow_config_node *root)
{
	const struct ow_config_node *first = first_defaults(root);
	int r = first != NULL ? ow_config_defaults(check, first) : 0;

	for (const struct ow_config_node *n = root->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "servers") == 0)
			r = ow_config_servers(check, n);
		else if (n != first && strcmp(n->name, "defaults") == 0)
			r = ow_config_defaults(check, n);
	}
	return r;
}

static int read_sections(struct ow_config_check *check,
			 const struct ow_config_node *root)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && r == 0;
	     i++)
		r = read_all(check, root, sections[i].name, sections[i].read);
	if (r == 0)
		r = read_servers(check, root);
	return r != 0 ? r : read_all(check, root, "clients",
				     ow_config_clients);
}

static int check_all(struct ow_config_check *check,
		     const struct ow_config_node *root)
{
	int r = ow_config_check_shape(check, root);

	ow_config_app_init(check);
	ow_config_defaults_init(check);
	if (r == 0)
		r = read_sections(check, root);
	if (r == 0)
		r = ow_config_lock_providers(check);
	if (r == 0)
		r = ow_config_bridges(check);
	if (r == 0)
		r = ow_config_gate(check);
	if (r == 0)
		r = ow_config_clients_unique(check);
	if (r == 0)
		r = ow_config_routed_services(check, root);
	return r != 0 ? r : ow_config_server_overlaps(check);
}

int ow_config_check(struct ow_config *config,
		    const struct ow_config_node *root,
		    struct ow_config_error *err)
{
	struct ow_config_check check = { .config = config, .err = err };
	int r = check_all(&check, root);

	ow_encrypted_forget(&check.key);
	return r;
}
