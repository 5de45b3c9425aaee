/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertise.c - readv, unadv: let a server offer a service again, or no more
 *
 * The order goes to the server through ndrxd, without a reply. The shared
 * tables show whether it was followed; an order that changes nothing fails.
 */
#include "clients/xadmin/control/control.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"

#define FOLLOW_MS 2000 /* a server that is idle follows at once */
#define STEP_MS	  5

static bool offers(const struct ow_observer *v, uint32_t srvid, const char *svc)
{
	char name[OW_SVC_NAME];
	uint32_t row;

	for (row = 0; row < ow_observer_rows(v, srvid); row++)
		if (ow_observer_row_service(v, srvid, row, name) != NULL &&
		    strcmp(name, svc) == 0)
			return true;
	return false;
}

/* "server 20 does not offer X; it offers A, B" */
static int fail_unknown(const struct ow_args *a, const struct ow_observer *v,
			uint32_t srvid, const char *svc)
{
	char list[256] = "", name[OW_SVC_NAME];
	uint32_t row;
	size_t len;

	for (row = 0; row < ow_observer_rows(v, srvid); row++) {
		len = strlen(list);
		if (ow_observer_row_service(v, srvid, row, name) == NULL)
			continue;
		if (len > 200) {
			snprintf(list + len, sizeof(list) - len, ", ...");
			break;
		}
		snprintf(list + len, sizeof(list) - len, "%s%s",
			 len > 0 ? ", " : "; it offers ", name);
	}
	return ow_cmd_fail(a, "server %u does not offer %s%s", srvid, svc,
			   list);
}

/* Wait until the server has followed. */
static bool followed(const struct ow_observer *v,
		     const struct ow_command_order *c, bool on)
{
	uint64_t end = ow_clock_mono_ns() + FOLLOW_MS * OW_NS_PER_MS;

	while (offers(v, c->srvid, c->name) != on) {
		if (ow_clock_mono_ns() > end)
			return false;
		if (poll(NULL, 0, STEP_MS) < 0)
			return false; /* Ctrl-C */
	}
	return true;
}

static bool is_busy(const struct ow_observer *v, uint32_t srvid)
{
	return atomic_load(&v->d.tables->srv[srvid].state) == OW_SRV_BUSY;
}

/* Give the order, see what becomes of it. An exit code. */
static int carry_out(struct ow_args *a, const struct ow_observer *v,
		     struct ow_command_order *c)
{
	bool on = c->verb == OW_VERB_ADV;
	int r;

	if (!on && ow_srv_alive(v->d.tables, c->srvid) &&
	    !offers(v, c->srvid, c->name))
		return fail_unknown(a, v, c->srvid, c->name);
	r = ow_reach_ask(a, c);
	if (r != OW_EXIT_OK || followed(v, c, on))
		return r;
	if (is_busy(v, c->srvid)) {
		ow_cmd_fail(a, "server %u is busy: it follows after its "
			    "request", c->srvid);
		return OW_EXIT_TIMEOUT;
	}
	return on ? fail_unknown(a, v, c->srvid, c->name)
		  : ow_cmd_fail(a, "server %u does not follow", c->srvid);
}

static int advertise(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *id = ow_args_value(a, 'i'), *svc = ow_args_value(a, 's');
	struct ow_command_order c = { .verb = verb, .name = svc };
	struct ow_observer v;
	int r;

	if (id == NULL || svc == NULL)
		return ow_cmd_misused(a, "-i ID and -s SVC are needed");
	c.srvid = ow_args_srvid(a, id);
	if (c.srvid == 0)
		return OW_EXIT_USAGE;
	r = ow_reach_tables(a, &v);
	if (r != OW_EXIT_OK)
		return r;
	r = carry_out(a, &v, &c);
	ow_observer_close(&v);
	return r;
}

int ow_control_readv(struct ow_args *a)
{
	return advertise(a, OW_VERB_ADV);
}

int ow_control_unadv(struct ow_args *a)
{
	return advertise(a, OW_VERB_UNADV);
}
