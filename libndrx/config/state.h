/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the state of one check
 *
 * Lives as long as ow_config_check() runs. The files that make the sections
 * of a configuration pass it on; each of their steps gives 0, OW_CONFIG_BAD or
 * -ENOMEM, the latter two with `err` set.
 */
#ifndef OW_CONFIG_STATE_H
#define OW_CONFIG_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/encrypted.h"
#include "libndrx/config/arena.h"
#include "libndrx/config/config.h"
#include "libndrx/config/grammar.h"
#include "libndrx/config/tree.h"

/* <defaults> or a <server> while it is put together. */
struct ow_config_draft {
	struct ow_config_server server;
	struct ow_config_env *envs;
	size_t n_envs;
	/* Per field of the table: the element that set it last. */
	const struct ow_config_node *set[OW_CONFIG_FIELDS];
};

/* A named list of variables. */
struct ow_config_group {
	const char *name;
	struct ow_config_env *envs;
	size_t n_envs;
};

struct ow_config_check {
	struct ow_config *config;
	struct ow_config_error *err;
	struct ow_config_draft defaults;
	struct ow_config_group *groups;
	size_t n_groups;
	/* Arrays of `config`, writable. */
	struct ow_config_server *servers;
	struct ow_config_client *clients;
	struct ow_config_procgroup *procgroups;
	struct ow_config_service *services;
	struct ow_config_route *routes;
	struct ow_config_access *access;
	struct ow_config_event *events;
	struct ow_config_http *http;
	const char **notices;
	/* While a client is read: ${NDRX_CLTTAG}, ${NDRX_CLTSUBSECT}. */
	const char *clttag, *cltsubsect;
	/* While a variable is read: those before it, which it may refer to. */
	const struct ow_config_draft *before;
	struct ow_encrypted_key key; /* of the values of the file */
	const char *file, *file_copy; /* last origin, and the arena's copy */
	uint64_t noted_app;    /* fields a notice was given for */
	uint64_t noted_server;
	bool noted_svctimeout;
};

#endif
