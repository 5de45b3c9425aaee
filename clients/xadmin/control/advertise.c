/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertise.c - readv, unadv: let a server offer a service again, or no more
 */
#include "clients/xadmin/control/control.h"

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"

static int advertise(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *id = ow_args_value(a, 'i'), *svc = ow_args_value(a, 's');
	struct ow_remote_cmd c = { .verb = verb, .name = svc };

	if (id == NULL || svc == NULL)
		return ow_cmd_misused(a, "-i ID and -s SVC are needed");
	c.srvid = ow_args_srvid(a, id);
	return c.srvid == 0 ? OW_EXIT_USAGE : ow_reach_ask(a, &c);
}

int ow_control_readv(struct ow_args *a)
{
	return advertise(a, OW_VERB_ADV);
}

int ow_control_unadv(struct ow_args *a)
{
	return advertise(a, OW_VERB_UNADV);
}
