/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcfg.c - testcfg: check a configuration file
 *
 * A running ndrxd checks the file it was started with, unless another file is
 * given. Otherwise xadmin reads the file itself and needs no domain.
 */
#include "clients/xadmin/setup/setup.h"

#include <stdio.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/env.h"
#include "libatmi/member/join.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"
#include "libndrx/prepare/preflight.h"

const char *ow_setup_config_path(const struct ow_args *a)
{
	return a->n_rest > 0 ? a->rest[0] : ow_setup_config_in_env(a);
}

const char *ow_setup_config_in_env(const struct ow_args *a)
{
	const char *path = ow_env_str("NDRX_CONFIG", NULL);

	if (path == NULL)
		ow_cmd_fail(a, "NDRX_CONFIG is not set: it names the "
			       "configuration file, e.g. $NDRX_APPHOME/conf/"
			       "ndrxconfig.xml; or name a file");
	return path;
}

struct findings {
	unsigned int fatal, minor;
};

static void say(void *arg, enum ow_preflight_grade grade, const char *text)
{
	struct findings *f = arg;

	printf("%s\n", text);
	if (grade == OW_PREFLIGHT_FATAL)
		f->fatal++;
	else if (grade == OW_PREFLIGHT_MINOR)
		f->minor++;
}

static int check_file(struct ow_args *a)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	const char *path = ow_setup_config_path(a);
	struct findings found = { 0 };
	struct ow_config_error err;
	int instances = 0;
	size_t i;

	if (path == NULL)
		return OW_EXIT_FAILED;
	if (ow_config_load(path, &err, &config) != 0)
		return ow_cmd_fail(a, "%s", err.text);
	for (i = 0; i < config->n_notices; i++)
		printf("%s\n", config->notices[i]);
	ow_preflight_config(config, say, &found);
	if (found.fatal + found.minor > 0)
		return ow_cmd_fail(a, "%u entries would not start, %u would "
				      "write elsewhere", found.fatal,
				   found.minor);
	for (i = 0; i < config->n_servers; i++)
		instances += config->servers[i].min;
	printf("%s: ok, %zu server entries, %d servers to start", path,
	       config->n_servers, instances);
	printf(a->n_rest > 0 ? "\n" : "; ndrxd is not running, so nothing was "
				      "compared\n");
	return OW_EXIT_OK;
}

int ow_setup_testcfg(struct ow_args *a)
{
	struct ow_command_order c = { .verb = OW_VERB_TESTCFG };
	struct ow_command_link remote = { .fd = -1 };
	struct ow_domain d;
	char why[256];

	if (a->n_rest > 0 || ow_domain_read_env(&d, why, sizeof(why)) != 0 ||
	    ow_command_open(&d, &remote) != 0)
		return check_file(a);
	ow_command_close(&remote);
	return ow_reach_ask(a, &c);
}
