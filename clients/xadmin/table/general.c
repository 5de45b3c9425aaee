/* SPDX-License-Identifier: Apache-2.0 */
/*
 * general.c - rows of the commands of xadmin: xadmin itself
 */
#include "clients/xadmin/session/session.h"
#include "clients/xadmin/table/table.h"

static const char general[] = "General";

static const struct ow_cmd rows[] = {
	{ .name = "help", .alias = "h", .alias2 = "info", .group = general,
	  .options = "", .max_rest = 1, .run = ow_session_help,
	  .synopsis = "[COMMAND]", .brief = "list commands, or explain one",
	  .example = "help psc" },
	{ .name = "quit", .alias = "q", .alias2 = "exit", .group = general,
	  .options = "", .run = ow_session_quit, .synopsis = "",
	  .brief = "leave xadmin", .example = "quit" },
	{ .name = "echo", .group = general, .options = "", .raw = true,
	  .run = ow_session_echo, .synopsis = "[TEXT...]",
	  .brief = "print the words, for scripts of commands",
	  .example = "echo servers are up" },
	{ .name = "ver", .alias = "-v", .group = general, .options = "",
	  .run = ow_session_version, .synopsis = "",
	  .brief = "version of this installation", .example = "ver" },
	{ .name = "poller", .group = general, .options = "",
	  .run = ow_session_poller, .synopsis = "",
	  .brief = "the kernel interface that servers wait with",
	  .example = "poller" },
	{ .name = "pmode", .group = general, .options = "",
	  .run = ow_session_pmode, .synopsis = "",
	  .brief = "build settings and built-in sizes, as NAME=VALUE",
	  .example = "pmode" },
	{ .name = "printenv", .alias = "pe", .group = general, .options = "",
	  .run = ow_session_printenv, .synopsis = "",
	  .brief = "the environment, sorted", .example = "printenv" },
	{ .name = "set", .group = general, .options = "", .raw = true,
	  .run = ow_session_set, .synopsis = "NAME=VALUE",
	  .brief = "set an environment variable for the next commands",
	  .help = "Servers get it only if this xadmin starts ndrxd later.",
	  .example = "set NDRX_XADMINTOUT=5" },
	{ .name = "unset", .group = general, .options = "", .raw = true,
	  .run = ow_session_unset, .synopsis = "NAME",
	  .brief = "remove an environment variable",
	  .example = "unset NDRX_XADMINTOUT" },
};

const struct ow_cmd_group ow_cmds_general = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
