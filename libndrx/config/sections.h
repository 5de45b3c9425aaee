/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.h - each section of a configuration: its values read and checked
 *
 * check.c calls these in the order in which sections need each other. Names
 * and places have been checked (shape.h). Each gives 0, OW_CONFIG_BAD or
 * -ENOMEM, both with the error set.
 */
#ifndef OW_CONFIG_SECTIONS_H
#define OW_CONFIG_SECTIONS_H

#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/* ---- app.c ---- */

void ow_config_app_init(struct ow_config_check *check);
int ow_config_app(struct ow_config_check *check,
		  const struct ow_config_node *section);

/* ---- groups.c ---- */

int ow_config_procgroups(struct ow_config_check *check,
			 const struct ow_config_node *section);
/* Does the group exist? `what`: the start of the message, for an attribute. */
int ow_config_need_group(struct ow_config_check *check,
			 const struct ow_config_node *node, const char *name,
			 const char *what);
/* A group has one lock provider, which is not one of its members. */
int ow_config_lock_providers(struct ow_config_check *check);

/* ---- server.c ---- */

void ow_config_defaults_init(struct ow_config_check *check);
int ow_config_defaults(struct ow_config_check *check,
		       const struct ow_config_node *section);
int ow_config_servers(struct ow_config_check *check,
		      const struct ow_config_node *section);
/* No two entries have an id in common. */
int ow_config_server_overlaps(struct ow_config_check *check);

/* ---- replaced.c ---- */

/* Does ndrxd itself do the work of this program? */
bool ow_config_is_replaced(const struct ow_config_server *server);
/* Keep what its entry means for others, and give notices. */
int ow_config_replace(struct ow_config_check *check,
		      const struct ow_config_node *node,
		      const struct ow_config_server *server);

/* ---- clients.c ---- */

int ow_config_clients(struct ow_config_check *check,
		      const struct ow_config_node *section);
/* No two clients have the same tag and sub-section. */
int ow_config_clients_unique(struct ow_config_check *check);

/* Append a client that is complete. */
int ow_config_client_add(struct ow_config_check *check,
			 const struct ow_config_client *client);

/* ---- access.c ---- */

int ow_config_access(struct ow_config_check *check,
		     const struct ow_config_node *node);
/* Add the gate to the clients, if a group may call. */
int ow_config_gate(struct ow_config_check *check);

/* ---- security.c ---- */

int ow_config_security(struct ow_config_check *check,
		       const struct ow_config_node *node);
int ow_config_event(struct ow_config_check *check,
		    const struct ow_config_node *node);
/* Is the text a list of those who may? `name`: of the attribute. NULL is. */
int ow_config_acl_check(struct ow_config_check *check,
			const struct ow_config_node *node, const char *name,
			const char *acl);

/* ---- cluster.c ---- */

int ow_config_cluster(struct ow_config_check *check,
		      const struct ow_config_node *node);
/* Give bridges their settings: variables of their entries. */
int ow_config_bridges(struct ow_config_check *check);

/* ---- http.c ---- */

int ow_config_http(struct ow_config_check *check,
		   const struct ow_config_node *section);

/* ---- services.c ---- */

int ow_config_services(struct ow_config_check *check,
		       const struct ow_config_node *section);
int ow_config_routing(struct ow_config_check *check,
		      const struct ow_config_node *section);
/* Say which services name a route that is not there. */
int ow_config_routed_services(struct ow_config_check *check,
			      const struct ow_config_node *root);

#endif
