/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspend.c - suspend, resume: let no call reach a service, or let them again
 */
#include "clients/xadmin/control/control.h"

#include "clients/xadmin/domain/reach.h"

static int order(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *svc = ow_args_value(a, 's');
	struct ow_remote_cmd c = { .verb = verb, .name = svc };

	if (svc == NULL)
		return ow_cmd_misused(a, "-s SVC is needed");
	return ow_reach_ask(a, &c);
}

int ow_control_suspend(struct ow_args *a)
{
	return order(a, OW_VERB_SUSPEND);
}

int ow_control_resume(struct ow_args *a)
{
	return order(a, OW_VERB_RESUME);
}
