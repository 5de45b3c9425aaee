/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach.c - reach what a command needs: environment, tables, ndrxd
 */
#include "clients/xadmin/domain/reach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/domain/spawn.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/gate.h"
#include "libatmi/member/join.h"

int ow_reach_env(const struct ow_args *a, struct ow_domain *ret)
{
	char why[512];

	return ow_domain_read_env(ret, why, sizeof(why)) == 0
		   ? OW_EXIT_OK : ow_cmd_fail(a, "%s", why);
}

int ow_reach_own(const struct ow_args *a, struct ow_domain *ret)
{
	char why[512];
	int r = ow_reach_env(a, ret);

	if (r == OW_EXIT_OK && ow_observer_foreign(ret, why, sizeof(why)))
		r = ow_cmd_fail(a, "%s", why);
	return r;
}

int ow_reach_ordered(const struct ow_args *a, struct ow_domain *ret)
{
	return ow_gate_is_asked() ? ow_reach_env(a, ret)
				  : ow_reach_own(a, ret);
}

int ow_reach_tables(const struct ow_args *a, struct ow_observer *ret)
{
	char why[512];
	int r = ow_observer_open(ret, why, sizeof(why));

	if (r == 0)
		return OW_EXIT_OK;
	ow_cmd_fail(a, "%s", why);
	return r == OW_TABLES_ABSENT ? OW_EXIT_ABSENT : OW_EXIT_FAILED;
}

/* ---- ndrxd ---- */

/* The exit code of a failure of remote.h. */
static int fail_remote(const struct ow_args *a, int r)
{
	ow_cmd_fail(a, "%s", ow_command_strerror(r));
	switch (r) {
	case OW_COMMAND_ABSENT:
		return OW_EXIT_ABSENT;
	case -ETIMEDOUT:
	case -EINTR:
		return OW_EXIT_TIMEOUT;
	default:
		return OW_EXIT_FAILED;
	}
}

/* -1: no ndrxd runs; nothing was printed. */
static int connect_to(const struct ow_args *a, const struct ow_domain *d,
		      struct ow_command_link *ret)
{
	char why[512];
	int r;

	if (d->sock[0] == '\0' && !ow_gate_is_asked())
		return ow_cmd_fail(a, "NDRX_APPHOME is not set: the socket of "
				      "ndrxd is $NDRX_APPHOME/run/ndrxd.sock");
	r = ow_command_open(d, ret);
	if (r != 0 && ret->why[0] != '\0')
		return ow_cmd_fail(a, "%s", ret->why);
	if ((r == -EACCES || r == -EPERM) &&
	    ow_observer_foreign(d, why, sizeof(why)))
		return ow_cmd_fail(a, "%s", why);
	if (r == -EPERM)
		return ow_cmd_fail(a, "%s", ow_owned_strerror(r));
	if (r < 0)
		return ow_cmd_fail(a, "%s: %s", d->sock, strerror(-r));
	return r == OW_COMMAND_ABSENT ? -1 : OW_EXIT_OK;
}

int ow_reach_ndrxd(const struct ow_args *a, struct ow_domain *ret_d,
		   struct ow_command_link *ret)
{
	int r = ow_reach_env(a, ret_d);

	if (r == OW_EXIT_OK)
		r = connect_to(a, ret_d, ret);
	return r == -1 ? fail_remote(a, OW_COMMAND_ABSENT) : r;
}

int ow_reach_answering(const struct ow_args *a, struct ow_domain *ret_d,
		       struct ow_command_link *ret, const char **ret_why_not)
{
	int r = ow_reach_env(a, ret_d);

	if (r == OW_EXIT_OK)
		r = connect_to(a, ret_d, ret);
	*ret_why_not = "ndrxd is not running";
	if (r == OW_EXIT_OK && ow_proc_stopped(ow_command_pid(ret))) {
		*ret_why_not = "ndrxd does not answer, it is stopped by a "
			       "signal";
		ow_command_close(ret);
		r = -1;
	}
	return r == -1 ? OW_EXIT_ABSENT : r;
}

int ow_reach_or_start_ndrxd(const struct ow_args *a, const struct ow_domain *d,
			    struct ow_command_link *ret)
{
	int r = connect_to(a, d, ret);

	return r == -1 ? ow_spawn_ndrxd(a, d, ret) : r;
}

int ow_reach_result(const struct ow_args *a, int r,
		    const struct ow_ctl_done *done)
{
	if (r < 0)
		return fail_remote(a, r);
	if (done->status != 0)
		return ow_cmd_fail(a, "%s", done->text[0] != '\0'
						? done->text : "failed");
	return OW_EXIT_OK;
}

static void print_text(const union ow_ctl_msg *m, void *arg)
{
	(void)arg;
	if (m->h.kind == OW_CTL_EVENT)
		printf("%s\n", m->event.text);
}

int ow_reach_ask(struct ow_args *a, struct ow_command_order *c)
{
	struct ow_command_link remote;
	struct ow_ctl_done done;
	struct ow_domain d;
	int r = ow_reach_ndrxd(a, &d, &remote);

	if (r != OW_EXIT_OK)
		return r;
	c->on_reply = print_text;
	r = ow_reach_result(a, ow_command_call(&remote, c, &done), &done);
	ow_command_close(&remote);
	if (r == OW_EXIT_OK && done.text[0] != '\0')
		printf("%s\n", done.text);
	return r;
}
