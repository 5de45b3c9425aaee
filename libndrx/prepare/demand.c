/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demand.c - count the services of a configuration
 */
#include "libndrx/prepare/demand.h"

#include <stdint.h>
#include <string.h>

#include "libatmi/base/optscan.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/server_options.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"

/* Names in NEW[/NEW2...][:SVC]. */
static uint32_t names_in(const char *value)
{
	uint32_t n = 1;

	for (; *value != '\0' && *value != ':'; value++)
		n += *value == '/' || *value == ',';
	return n;
}

/* Services that the command line of an entry names, 1 at least. */
static uint32_t services_of(const struct ow_config_server *def)
{
	struct ow_cmdline cmd = { .argc = 0 };
	struct ow_optscan s = { .known = OW_SERVER_OPTIONS };
	enum ow_optscan_result r;
	uint32_t n = 0;

	if (ow_cmdline_split(&cmd, def->sysopt) != 0)
		return 1; /* the start will say so */
	s.argc = (int)cmd.argc;
	s.argv = cmd.argv;
	while ((r = ow_optscan_next(&s)) != OW_OPTSCAN_END)
		if (r == OW_OPTSCAN_OPTION &&
		    (s.letter == 's' || s.letter == 'S'))
			n += names_in(s.value);
	ow_cmdline_clear(&cmd);
	return n > 0 ? n : 1;
}

void ow_demand_of(const struct ow_config *c, struct ow_load *ret)
{
	uint32_t named = 0;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < c->n_servers; i++)
		named += services_of(&c->servers[i]);
	ret->services = (uint32_t)c->n_services > named
			    ? (uint32_t)c->n_services : named;
}
