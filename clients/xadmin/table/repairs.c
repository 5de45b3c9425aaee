/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repairs.c - rows of the commands of xadmin: repairs
 */
#include "clients/xadmin/repair/repair.h"
#include "clients/xadmin/table/table.h"

static const char repairs[] = "Repairs";

static const struct ow_cmd rows[] = {
	{ .name = "killall", .group = repairs, .options = "",
	  .max_rest = -1,
	  .guest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_repair_killall, .synopsis = "NAME...",
	  .brief = "end processes of this domain by program name",
	  .help = "SIGTERM, after 5 seconds SIGKILL. Names are compared "
		  "whole; processes of other\ndomains are never touched. "
		  "ndrxd restarts its servers: use `stop -s NAME` to stop "
		  "them for good.",
	  .example = "killall bankcl" },
	{ .name = "qrm", .group = repairs, .options = "f", .max_rest = -1,
	  .guest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_repair_qrm, .synopsis = "[-f] QUEUE...",
	  .brief = "remove queues by name",
	  .help = "Names as `pqa` prints them. The messages in them are lost.\n"
		  "  -f  even a queue that a living process uses",
	  .example = "qrm /bank,clt,reply,bankcl,12,7" },
	{ .name = "qrmall", .group = repairs, .options = "f",
	  .max_rest = -1,
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_repair_qrmall,
	  .synopsis = "[-f] TEXT...",
	  .brief = "remove queues of this domain whose names contain a text",
	  .help = "  -f  even queues that living processes use",
	  .example = "qrmall clt,reply," },
	{ .name = "repair", .group = repairs, .options = "ay",
	  .max_rest = -1,
	  .guest = OW_CMD_NEVER, .noted = true, .run = ow_repair_damage,
	  .synopsis = "[-a [-y]] [PATH...]",
	  .brief = "damaged files: what is lost, what is kept, and go on",
	  .help = "A tmsrv or tmqueue whose files have lost what was on disk "
		  "does not start: this lists\nwhat. Restore a good copy, or go "
		  "on. PATH: only reports whose path begins so.\nExit status 1: "
		  "there is damage.\n"
		  "  -a  go on without what is lost: said to the server, which "
		  "does it at its next start\n"
		  "  -y  do not ask",
	  .example = "repair -a -y" },
};

const struct ow_cmd_group ow_cmds_repairs = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
