/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - rows of the commands of xadmin: clients that ndrxd starts
 */
#include "clients/xadmin/control/control.h"
#include "clients/xadmin/table/table.h"
#include "clients/xadmin/table/texts.h"

static const char clients[] = "Clients";

static const struct ow_cmd rows[] = {
	{ .name = "pc", .group = clients, .options = "", .json = true,
	  .run = ow_control_pc, .synopsis = "",
	  .brief = "client programs of <clients>", .example = "pc" },
	{ .name = "bc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_control_bc, .synopsis = CLIENTS,
	  .brief = "boot client programs", .help = CLIENTS_HELP,
	  .example = "bc -t FEED -s %" },
	{ .name = "sc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_control_sc, .synopsis = CLIENTS,
	  .brief = "stop client programs", .help = CLIENTS_HELP,
	  .example = "sc -t FEED" },
	{ .name = "rc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_control_rc, .synopsis = CLIENTS,
	  .brief = "restart client programs", .help = CLIENTS_HELP,
	  .example = "rc -g BATCH -w 500" },
};

const struct ow_cmd_group ow_cmds_clients = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
