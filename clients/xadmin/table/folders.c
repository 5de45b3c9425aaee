/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folders.c - rows of the commands of xadmin: what is needed before a domain runs
 */
#include "clients/xadmin/import/import.h"
#include "clients/xadmin/scan/scan.h"
#include "clients/xadmin/setup/setup.h"
#include "clients/xadmin/table/table.h"
#include "clients/xadmin/table/texts.h"

static const char folders[] = "New domains";

static const struct ow_cmd rows[] = {
	{ .name = "passwd", .group = folders, .options = "f:dlr:w",
	  .max_rest = 1, .guest = OW_CMD_NEVER, .run = ow_setup_passwd,
	  .synopsis = "[-f FILE] [-w] [-r ROLE] [-d] NAME | -l",
	  .brief = "set the password that tpinit() asks of a user",
	  .help = PASSWD,
	  .example = "passwd anna" },
	{ .name = "provision", .group = folders, .options = "dv:", .many = "v",
	  .max_rest = 1, .cluster = true, .run = ow_setup_provision,
	  .synopsis = "[--cluster] [-d] [-vNAME=VALUE]... [FOLDER]",
	  .brief = "make the folder of a new domain, ready to start",
	  .help = PROVISION_HELP,
	  .example = "provision -d -vname=bank /srv/bank" },
	{ .name = "import", .group = folders, .options = "o:fn", .machine = true,
	  .max_rest = 4, .run = ow_import_run,
	  .synopsis = "[-n] [-f] [-o FOLDER] [--machine LMID] [ubbconfig FILE] [dmconfig FILE]",
	  .brief = "make a configuration from one of Oracle Tuxedo",
	  .help = IMPORT_HELP, .example = "import -o /srv/bank ubbconfig ubbbank" },
	{ .name = "scan", .group = folders, .options = "a", .max_rest = -1,
	  .run = ow_scan_run, .synopsis = "[-a] FOLDER|FILE...",
	  .brief = "what of programs of Tuxedo and Enduro/X is different here",
	  .help = SCAN_HELP, .example = "scan /srv/bank/src" },
};

const struct ow_cmd_group ow_cmds_folders = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
