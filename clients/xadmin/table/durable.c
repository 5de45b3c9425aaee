/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.c - rows of the commands of xadmin: messages of durable queues
 */
#include "clients/xadmin/durable/durable.h"
#include "clients/xadmin/table/table.h"

static const char durable[] = "Durable queues";

static const struct ow_cmd rows[] = {
	{ .name = "mqlq", .group = durable, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_durable_mqlq, .synopsis = "",
	  .brief = "durable queues and their figures",
	  .help = "#QUEU messages, #LOCK of them in a transaction or at a "
		  "service; since the queue was\nmade: #ENQ, #DEQ, and of an "
		  "automatic queue #SUCC and #FAIL.",
	  .example = "mqlq" },
	{ .name = "mqlc", .group = durable, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_durable_mqlc, .synopsis = "",
	  .brief = "durable queues as they are defined",
	  .help = "FLAGS: A automatic, D defined by the queue @.",
	  .example = "mqlc" },
	{ .name = "mqlm", .group = durable, .options = "s:q:", .json = true,
	  .guest = OW_CMD_LOOKS,
	  .run = ow_durable_mqlm, .synopsis = "-s QSPACE -q QUEUE",
	  .brief = "the messages of a durable queue",
	  .example = "mqlm -s ORDERS -q NEW" },
	{ .name = "mqdm", .group = durable, .options = "n:i:s:m:", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_durable_mqdm,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -m MSGID",
	  .brief = "show a message of a durable queue; what <mask> names: ***",
	  .example = "mqdm -i 80 -m T1dRMQ..." },
	{ .name = "mqrm", .group = durable, .options = "n:i:s:m:",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_durable_mqrm,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -m MSGID",
	  .brief = "remove a message from a durable queue",
	  .example = "mqrm -i 80 -m T1dRMQ..." },
	{ .name = "mqpurge", .group = durable, .options = "yn:i:s:q:",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_durable_mqpurge,
	  .synopsis = "[-y] [-n NODE] [-i SRVID] -s QSPACE -q QUEUE",
	  .brief = "remove all messages of a durable queue",
	  .example = "mqpurge -s ORDERS -q ERRORS" },
	{ .name = "mqmv", .group = durable, .options = "n:i:m:s:q:",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_durable_mqmv,
	  .synopsis = "[-n NODE] -i SRVID -m MSGID -s QSPACE -q QUEUE",
	  .brief = "move a message to another durable queue",
	  .help = "It gets a new id.",
	  .example = "mqmv -i 80 -m T1dRMQ... -s ORDERS -q RETRY" },
	{ .name = "mqch", .group = durable, .options = "n:i:s:q:",
	  .guest = OW_CMD_COMMANDS, .noted = true, .run = ow_durable_mqch,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -q DEFINITION",
	  .brief = "define a durable queue, until the next mqrc",
	  .example = "mqch -i 80 -q NEW,autoq=y,tries=5" },
	{ .name = "mqrc", .group = durable, .options = "",
	  .guest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_durable_mqrc, .synopsis = "",
	  .brief = "read the definitions of durable queues again",
	  .example = "mqrc" },
	{ .name = "mqexport", .group = durable, .options = "s:q:m",
	  .guest = OW_CMD_LOOKS,
	  .noted = true, .run = ow_durable_mqexport, .synopsis = "-s QSPACE [-q QUEUE] [-m]",
	  .brief = "write the messages of durable queues as lines of JSON",
	  .help = "They stay in their queues.\n  -m  what <mask> names: ***, as for guests; "
		  "mqimport refuses such lines",
	  .example = "mqexport -s ORDERS > orders.json" },
	{ .name = "mqimport", .group = durable, .options = "s:q:",
	  .max_rest = 1, .guest = OW_CMD_NEVER,
	  .noted = true, .run = ow_durable_mqimport, .synopsis = "-s QSPACE [-q QUEUE] [FILE]",
	  .brief = "put messages that mqexport has written into queues",
	  .help = "  -q  all into this queue, whatever the lines say",
	  .example = "mqimport -s ORDERS orders.json" },
};

const struct ow_cmd_group ow_cmds_durable = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
