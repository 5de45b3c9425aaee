/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - cacheinval: drop the replies that are kept of services
 */
#include "clients/xadmin/control/control.h"

#include "clients/xadmin/domain/reach.h"

int ow_control_cacheinval(struct ow_args *a)
{
	const char *svc = ow_args_value(a, 's');
	struct ow_command_order c = { .verb = OW_VERB_CACHEINVAL, .name = svc };

	if ((svc == NULL) == !ow_args_has(a, 'a'))
		return ow_cmd_misused(a, "-s SVC or -a is needed");
	return ow_reach_ask(a, &c);
}
