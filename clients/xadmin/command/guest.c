/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.c - where a command of a guest runs
 *
 * The xadmin of a guest sends the words of a listing to ndrxd, which starts an
 * xadmin of the domain's user (libndrx/observe/as_owner.h). Before them goes
 * the terminal of the guest: its columns (0: none), then c if it has colours.
 * That xadmin runs what the table allows, and nothing else.
 */
#include "clients/xadmin/command/guest.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/observe/as_owner.h"
#include "libndrx/observe/command.h"
#include "clients/xadmin/command/command.h"
#include "clients/xadmin/command/order.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/gate.h"
#include "libatmi/member/join.h"

static enum ow_cmd_guest place_of(const struct ow_args *a)
{
	return a->cmd->guest == OW_CMD_LOOKS && a->n_rest > 0
		   ? a->cmd->guest_rest : a->cmd->guest;
}

/* ---- the xadmin of the domain's user ---- */

static int run_for_guest(struct ow_args *a)
{
	enum ow_cmd_guest place = place_of(a);

	if (place == OW_CMD_LOOKS ||
	    (place == OW_CMD_COMMANDS && a->x->right == OW_GUEST_ADMIN))
		return a->cmd->run(a);
	return ow_cmd_fail(a, "not for guests (TPEPERM)");
}

/* ---- the xadmin of the guest ---- */

static int refuse(const struct ow_args *a)
{
	return ow_cmd_fail(a, "this is for user %s, whose domain it is. "
			   "Members of a group with <access admin=\"Y\"> have "
			   "`stop` and `start` (TPEPERM)",
			   ow_env_str("NDRX_OWNER", ""));
}

static int ask(struct ow_args *a, bool change)
{
	char *words[OW_ARGS_MAX + 1], term[32], why[512];
	struct ow_as_owner g = { .program = "xadmin",
				  .words = words,
				  .n_words = a->n_words + 1,
				  .change = change,
				  .terminal = -1,
				  .write = ow_as_owner_write };
	int r, code = OW_EXIT_FAILED;
	struct ow_domain d;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (a->n_words > OW_ARGS_MAX)
		return ow_cmd_misused(a, "too many words");
	snprintf(term, sizeof(term), "%d%s", a->form.term.columns,
		 a->form.term.colour ? "c" : "");
	words[0] = term;
	memcpy(words + 1, a->words, (size_t)a->n_words * sizeof(*words));
	fflush(stdout);
	r = ow_as_owner(&g, &d, &code);
	if (r == 0)
		return code;
	ow_cmd_fail(a, "%s", g.why);
	return r == OW_COMMAND_ABSENT ? OW_EXIT_ABSENT : OW_EXIT_FAILED;
}

/* What asks the user is noted when he is sure. */
static int run(struct ow_args *a)
{
	if (strchr(a->cmd->options, 'y') == NULL)
		ow_cmd_note(a);
	return a->cmd->run(a);
}

int ow_cmd_run(struct ow_args *a)
{
	enum ow_cmd_guest place = place_of(a);

	if (a->x->right != OW_GUEST_NOBODY)
		return run_for_guest(a);
	if (place == OW_CMD_HERE || !ow_gate_is_asked())
		return run(a);
	if (place == OW_CMD_NEVER)
		return refuse(a);
	return ask(a, place == OW_CMD_COMMANDS);
}
