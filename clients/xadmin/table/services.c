/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - rows of the commands of xadmin: services
 */
#include "clients/xadmin/control/control.h"
#include "clients/xadmin/table/table.h"
#include "clients/xadmin/table/texts.h"

static const char services[] = "Services";

static const struct ow_cmd rows[] = {
	{ .name = "call", .group = services, .options = "u:t:b:m",
	  .max_rest = 1, .guest = OW_CMD_NEVER, .noted = true, .run = ow_control_call,
	  .synopsis = "[-b TYPE] [-t SECONDS] [-u NAME] [-m] SVC",
	  .brief = "call a service: request and reply are JSON",
	  .help = CALL_HELP,
	  .example = "call -t 5 BALANCE" },
	{ .name = "unadv", .group = services, .options = "i:s:",
	  .guest = OW_CMD_COMMANDS,
	  .run = ow_control_unadv, .synopsis = "-i ID -s SVC",
	  .brief = "let a server stop offering a service",
	  .example = "unadv -i 20 -s BALANCE" },
	{ .name = "readv", .group = services, .options = "i:s:",
	  .guest = OW_CMD_COMMANDS,
	  .run = ow_control_readv, .synopsis = "-i ID -s SVC",
	  .brief = "let a server offer a service again",
	  .example = "readv -i 20 -s BALANCE" },
	{ .name = "suspend", .alias = "susp", .group = services,
	  .options = "s:", .run = ow_control_suspend, .synopsis = "-s SVC",
	  .brief = "let no new call reach a service",
	  .help = "Callers get TPENOENT at once, whichever servers start or "
		  "die meanwhile; requests\nthat are in the queue are served. "
		  "Until `resume`, or the end of the domain.",
	  .example = "suspend -s BALANCE" },
	{ .name = "resume", .alias = "res", .group = services,
	  .options = "s:", .run = ow_control_resume, .synopsis = "-s SVC",
	  .brief = "let calls reach a suspended service again",
	  .example = "resume -s BALANCE" },
	{ .name = "cacheinval", .alias = "ci", .group = services,
	  .options = "s:a", .run = ow_control_cacheinval,
	  .synopsis = "-s SVC | -a",
	  .brief = "drop the replies that are kept of a service",
	  .help = "Each following call is served; its reply is kept again.\n"
		  "  -s SVC  of this service\n  -a      of all",
	  .example = "cacheinval -s RATE" },
};

const struct ow_cmd_group ow_cmds_services = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
