/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - candidates for the next word of a command line
 */
#include "clients/xadmin/prompt/complete.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/observer.h"
#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/names.h"
#include "clients/xadmin/setup/variables.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/queue_name.h"
#include "libndrx/config/config.h"
#include "libubf/base/printable.h"

#define WORDS_MAX 2000 /* more is of no use to the user */

struct search {
	const char *prefix;
	struct ow_names seen;
	ow_complete_fn *fn;
	void *arg;
	bool files;
};

static void offer(struct search *s, const char *word)
{
	if (s->seen.n < WORDS_MAX &&
	    strncmp(word, s->prefix, strlen(s->prefix)) == 0 &&
	    ow_names_add(&s->seen, word))
		s->fn(word, s->arg);
}

/* ---- kinds of words ---- */

static void offer_commands(struct search *s)
{
	const struct ow_cmd *c;
	size_t i;

	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++)
		offer(s, c->name);
}

static void offer_options(struct search *s, const struct ow_cmd *cmd)
{
	const struct option *l = ow_args_longs(cmd);
	const char *p;
	char text[64];

	for (p = cmd->options; *p != '\0'; p++) {
		if (*p == ':')
			continue;
		snprintf(text, sizeof(text), "-%c", *p);
		offer(s, text);
	}
	for (; l->name != NULL; l++) {
		snprintf(text, sizeof(text), "--%s", l->name);
		offer(s, text);
	}
}

/* Servers in the tables: those that run, however they were started. */
static void offer_living(struct search *s, bool ids)
{
	struct ow_observer v;
	char why[512], id[16], bin[64];
	uint32_t n;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return;
	for (n = ow_srv_next(v.d.tables, 1); n != 0;
	     n = ow_srv_next(v.d.tables, n + 1)) {
		if (ow_srv_is_thread(v.d.tables, n))
			continue;
		snprintf(id, sizeof(id), "%u", n);
		offer(s, ids ? id : ow_observer_bin(&v, n, bin));
	}
	ow_observer_close(&v);
}

/* The file of NDRX_CONFIG. NULL: there is none, or it has errors. */
static struct ow_config *load_config(void)
{
	const char *path = ow_env_str("NDRX_CONFIG", NULL);
	struct ow_config *config = NULL;
	struct ow_config_error err;

	if (path == NULL || ow_config_load(path, &err, &config) != 0)
		return NULL;
	return config;
}

/* Servers in the configuration: those that can be started. */
static void offer_configured(struct search *s, bool ids)
{
	struct ow_config *config = load_config();
	size_t i;
	int k;

	if (config == NULL)
		return;
	for (i = 0; i < config->n_servers; i++) {
		const struct ow_config_server *server = &config->servers[i];

		if (!ids)
			offer(s, server->name);
		for (k = 0; ids && k < server->max; k++) {
			char id[16];

			snprintf(id, sizeof(id), "%d", server->srvid + k);
			offer(s, id);
		}
	}
	ow_config_free(config);
}

static void offer_groups(struct search *s)
{
	struct ow_config *config = load_config();
	size_t i;

	if (config == NULL)
		return;
	for (i = 0; i < config->n_groups; i++)
		offer(s, config->groups[i].name);
	ow_config_free(config);
}

/* Client programs of the configuration: their tags or sub-sections. */
static void offer_clients(struct search *s, bool tags)
{
	struct ow_config *config = load_config();
	size_t i;

	if (config == NULL)
		return;
	for (i = 0; i < config->n_clients; i++)
		offer(s, tags ? config->clients[i].tag
			      : config->clients[i].subsect);
	ow_config_free(config);
}

static void offer_services(struct search *s)
{
	struct ow_observer v;
	char why[512], name[OW_SVC_NAME];
	uint32_t i;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return;
	for (i = 0; i < ow_observer_services(&v); i++)
		if (ow_observer_service(&v, i, name) != NULL)
			offer(s, name);
	ow_observer_close(&v);
}

static void offer_queues(struct search *s)
{
	struct ow_observer v;
	char why[512], part[96], name[OW_NAMES_LEN];
	uint32_t i;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return;
	for (i = 0; i < ow_observer_services(&v); i++) {
		if (ow_observer_service(&v, i, part) == NULL)
			continue;
		ow_queue_name_of(&v.d, part, name, sizeof(name));
		offer(s, name);
	}
	for (i = 0; i < ow_observer_clients(&v); i++) {
		if (!ow_observer_client(&v, i))
			continue;
		ow_printable(ow_clt_queue(v.d.tables, i, part));
		snprintf(name, sizeof(name), "/%s,%.95s", v.d.prefix, part);
		if (part[0] != '\0')
			offer(s, name);
	}
	ow_observer_close(&v);
}

static void offer_variables(struct search *s)
{
	size_t i;

	for (i = 0; i < ow_variables_count; i++)
		offer(s, ow_variables[i].name);
}

static void offer_list(struct search *s, const char *const *words)
{
	for (; *words != NULL; words++)
		offer(s, *words);
}

/* ---- the kind of the next word ---- */

static void offer_settings(struct search *s)
{
	static const char *const words[] = {
		"sanity", "checkpm", "brrefresh", "restart_min",
		"restart_step", "restart_max", "restart_to_check",
		"gather_pq_stats", "rqaddrttl", "ddrreload", "spin", NULL
	};

	offer_list(s, words);
}

static bool takes_value(const struct ow_cmd *cmd, const char *word)
{
	const char *p;

	if (word[0] != '-' || word[1] == '-' || word[1] == '\0')
		return false;
	/* In `-yi 5` the last letter takes the value. */
	p = strchr(cmd->options, word[strlen(word) - 1]);
	return p != NULL && p[1] == ':';
}

/* The value of an option. */
static void offer_values(struct search *s, const struct ow_cmd *cmd, char opt)
{
	static const char *const values[] = {
		"name=", "prefix=", "node=", "timeout=", "server=",
		"servers=", NULL
	};

	if (opt == 'i') {
		offer_living(s, true);
		offer_configured(s, true);
	} else if (opt == 't' || (opt == 's' && cmd->name[1] == 'c' &&
					 cmd->name[2] == '\0')) {
		offer_clients(s, opt == 't');
	} else if (opt == 's' && strstr(cmd->name, "adv") != NULL) {
		offer_services(s);
	} else if (opt == 's') {
		offer_living(s, false);
		offer_configured(s, false);
	} else if (opt == 'g') {
		offer_groups(s);
	} else if (opt == 'v') {
		offer_list(s, values);
	} else if (opt == 'o') {
		s->files = true;
	}
}

/* A word that is not an option. */
static void offer_words(struct search *s, const struct ow_cmd *cmd, int n,
			char *const *argv)
{
	static const char *const formats[] = { "ubbconfig", NULL };
	const char *name = cmd->name;

	if (strcmp(name, "help") == 0)
		offer_commands(s);
	else if (strcmp(name, "set") == 0 || strcmp(name, "unset") == 0)
		offer_variables(s);
	else if (strcmp(name, "appconfig") == 0)
		offer_settings(s);
	else if (strcmp(name, "killall") == 0)
		offer_living(s, false);
	else if (strcmp(name, "schema") == 0)
		offer_services(s);
	else if (strncmp(name, "qrm", 3) == 0)
		offer_queues(s);
	else if (strcmp(name, "import") == 0 &&
		 strcmp(argv[n - 1], "ubbconfig") != 0)
		offer_list(s, formats);
	else
		s->files = cmd->max_rest != 0;
}

int ow_complete(int n, char *const *argv, const char *prefix,
		ow_complete_fn *fn, void *arg)
{
	struct search s = { .prefix = prefix, .fn = fn, .arg = arg };
	const struct ow_cmd *cmd = n > 0 ? ow_cmd_find(argv[0]) : NULL;
	const char *before = n > 1 ? argv[n - 1] : "";

	if (n == 0)
		offer_commands(&s);
	else if (cmd == NULL)
		return 0;
	else if (takes_value(cmd, before))
		offer_values(&s, cmd, before[strlen(before) - 1]);
	else if (prefix[0] == '-')
		offer_options(&s, cmd);
	else
		offer_words(&s, cmd, n, argv);
	ow_names_clear(&s.seen);
	return s.files;
}
