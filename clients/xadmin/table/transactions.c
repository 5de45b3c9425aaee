/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transactions.c - rows of the commands of xadmin: transactions
 */
#include "clients/xadmin/control/control.h"
#include "clients/xadmin/table/table.h"

static const char transactions[] = "Transactions";

static const struct ow_cmd rows[] = {
	{ .name = "printtrans", .alias = "pt", .group = transactions,
	  .options = "", .json = true, .guest = OW_CMD_LOOKS,
	  .run = ow_control_printtrans, .synopsis = "",
	  .brief = "transactions that have not ended",
	  .help = "Stages: ACTIVE; PREPARING; COMMITTING, the decision is on "
		  "disk; ABORTING;\nHEURISTIC, a resource manager has decided "
		  "by itself. Status of a branch: a active,\np prepared, c "
		  "committed, r rolled back, o read only, h heuristic.",
	  .example = "printtrans --json" },
	{ .name = "aborttrans", .alias = "abort", .group = transactions,
	  .options = "t:x:y", .guest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_control_aborttrans, .synopsis = "-t TMREF -x XID [-y]",
	  .brief = "roll a transaction back that is not decided",
	  .help = "TMREF and XID as printtrans shows them.",
	  .example = "aborttrans -t @TM-1-1-100 -x 4f57... -y" },
	{ .name = "committrans", .alias = "commit", .group = transactions,
	  .options = "t:x:y", .guest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_control_committrans, .synopsis = "-t TMREF -x XID [-y]",
	  .brief = "repeat the commit of a decided transaction at once",
	  .help = "One that is not decided is refused.",
	  .example = "committrans -t @TM-1-1-100 -x 4f57... -y" },
	{ .name = "recoverlocal", .group = transactions, .options = "s:",
	  .json = true, .guest = OW_CMD_LOOKS,
	  .run = ow_control_recoverlocal, .synopsis = "[-s TMSVC]",
	  .brief = "branches that resource managers have prepared",
	  .help = "  -s  only that of the tmsrv with this service",
	  .example = "recoverlocal -s @TM-1-1-100" },
	{ .name = "commitlocal", .group = transactions, .options = "s:x:y",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "commit one prepared branch, whatever its tmsrv says",
	  .help = "XID as recoverlocal shows it. For a branch whose tmsrv is "
		  "lost for good: the\nother branches are not asked.",
	  .example = "commitlocal -s @TM-1-1-100 -x 4f57... -y" },
	{ .name = "abortlocal", .group = transactions, .options = "s:x:y",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "roll one prepared branch back, whatever its tmsrv says",
	  .help = "As commitlocal.",
	  .example = "abortlocal -s @TM-1-1-100 -x 4f57... -y" },
	{ .name = "forgetlocal", .group = transactions, .options = "s:x:y",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "forget what a resource manager has decided by itself",
	  .help = "XID of printtrans: all of a transaction whose stage is "
		  "HEURISTIC; of recoverlocal:\none branch.",
	  .example = "forgetlocal -s @TM-1-1-100 -x 4f57... -y" },
};

const struct ow_cmd_group ow_cmds_transactions = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
