/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspend.c - suspend, resume: let no call reach a service, or let them again;
 * drain -v: suspend it, and wait for what is under way
 */
#include "clients/xadmin/control/control.h"

#include <poll.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/transport/transport.h"

#define STEP_MS 10

static int order(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *svc = ow_args_value(a, 's');
	struct ow_command_order c = { .verb = verb, .name = svc };

	if (svc == NULL)
		return ow_cmd_misused(a, "-s SVC is needed");
	return ow_reach_ask(a, &c);
}

int ow_control_suspend(struct ow_args *a)
{
	return order(a, OW_VERB_SUSPEND);
}

/* Requests that wait for the service, and servers that may have one in hand. */
static uint32_t under_way(const struct ow_observer *v, const char *svc)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id, row, depth = 0, n = 0, at;
	int found = ow_svc_find(t, svc);

	if (found < 0)
		return 0;
	if (ow_queue_peek((struct ow_domain *)&v->d, ow_service_queue(svc),
			  &depth) == 0)
		n = depth;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		row = atomic_load(&t->srv[id].cur_adv);
		at = row != 0 && row <= OW_ADV_MAX
			     ? ow_tables_row_svc(t, id, row - 1) : 0;
		n += at == (uint32_t)found + 1;
	}
	return n;
}

int ow_control_drain_service(struct ow_args *a, const char *svc)
{
	struct ow_command_order c = { .verb = OW_VERB_SUSPEND, .name = svc };
	struct ow_observer v;
	int r = ow_reach_ask(a, &c);

	if (r == OW_EXIT_OK)
		r = ow_reach_tables(a, &v);
	if (r != OW_EXIT_OK)
		return r;
	while (under_way(&v, svc) > 0)
		if (poll(NULL, 0, STEP_MS) < 0) {
			ow_observer_close(&v);
			return OW_EXIT_TIMEOUT; /* Ctrl-C */
		}
	ow_observer_close(&v);
	return OW_EXIT_OK;
}

int ow_control_resume(struct ow_args *a)
{
	return order(a, OW_VERB_RESUME);
}
