/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - entries of a configuration by id or name
 */
#include "libndrx/config/config.h"

#include <string.h>

const struct ow_config_server *
ow_config_server_find(const struct ow_config *config, int srvid)
{
	for (size_t i = 0; i < config->n_servers; i++) {
		const struct ow_config_server *s = &config->servers[i];

		if (srvid >= s->srvid && srvid < s->srvid + s->max)
			return s;
	}
	return NULL;
}

const struct ow_config_procgroup *
ow_config_procgroup_find(const struct ow_config *config, const char *name)
{
	for (size_t i = 0; name != NULL && i < config->n_groups; i++) {
		if (strcmp(config->groups[i].name, name) == 0)
			return &config->groups[i];
	}
	return NULL;
}

const struct ow_config_service *
ow_config_service_find(const struct ow_config *config, const char *name)
{
	for (size_t i = 0; i < config->n_services; i++) {
		if (strcmp(config->services[i].name, name) == 0)
			return &config->services[i];
	}
	return NULL;
}

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
