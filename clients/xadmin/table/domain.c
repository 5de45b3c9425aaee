/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.c - rows of the commands of xadmin: the life of a domain
 */
#include "clients/xadmin/control/control.h"
#include "clients/xadmin/repair/repair.h"
#include "clients/xadmin/setup/setup.h"
#include "clients/xadmin/table/table.h"
#include "clients/xadmin/table/texts.h"

static const char domain[] = "Domain";

static const struct ow_cmd rows[] = {
	{ .name = "start", .group = domain, .options = "yks:i:g:L", .many = "sig",
	  .run = ow_control_start,
	  .synopsis = "[-y] [-k] [-s SRV] [-i ID] [-g GRP] [-L]",
	  .brief = "start all servers of the configuration, or some",
	  .help = SELECT LOCKS STARTS,
	  .example = "start -y" },
	{ .name = "stop", .group = domain, .options = "yckfls:i:g:L", .many = "sig",
	  .drain = true, .run = ow_control_stop,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] [-L] [-k] [-f] [--drain]",
	  .brief = "stop all servers and ndrxd, or some servers",
	  .help = SELECT LOCKS STOPS,
	  .example = "stop -i 20" },
	{ .name = "drain", .group = domain, .options = "ys:i:g:v:", .many = "sig",
	  .run = ow_control_drain, .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] | -v SVC",
	  .brief = "serve what waits, then stop servers or suspend a service",
	  .help = SELECT "\n  -v SVC  suspend the service, and wait for what is under way",
	  .example = "drain -i 20" },
	{ .name = "restart", .alias = "r", .group = domain,
	  .options = "ys:i:g:L", .many = "sig", .run = ow_control_restart,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] [-L]",
	  .brief = "stop servers, then start them",
	  .help = SELECT LOCKS, .example = "r -s banksv" },
	{ .name = "sreload", .alias = "sr", .group = domain,
	  .options = "ys:i:g:", .many = "sig", .max_rest = -1, .run = ow_control_sreload,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] [SRV...]",
	  .brief = "restart servers one after the other",
	  .help = "A service with two servers always has one that runs. The first new server\n"
		  "that does not start ends it; the others run on as before.\n"
		  SELECT, .example = "sr -y -s banksv" },
	{ .name = "reload", .group = domain, .options = "y",
	  .run = ow_control_reload, .synopsis = "",
	  .brief = "read the configuration again",
	  .help = "A file with an error changes nothing; `testcfg` "
		  "checks it before. The first new server\nthat does not "
		  "start ends it; the others run on as before.",
	  .example = "reload" },
	{ .name = "testcfg", .group = domain, .options = "", .max_rest = 1,
	  .run = ow_setup_testcfg, .synopsis = "[FILE]",
	  .brief = "check a configuration file, change nothing",
	  .help = TESTCFG_HELP,
	  .example = "testcfg conf/ndrxconfig.xml.new" },
	{ .name = "config", .group = domain, .options = "gi:s:x",
	  .json = true, .max_rest = 1, .cluster = true,
	  .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_HERE, .run = ow_setup_config,
	  .synopsis = "[-g] [-s SRV | -i ID] [-x] [--cluster] [FILE]",
	  .brief = "the values in force, with the origin of each",
	  .help = CONFIG_HELP,
	  .example = "config -i 20" },
	{ .name = "idle", .group = domain, .options = "",
	  .guest = OW_CMD_NEVER,
	  .run = ow_control_idle, .synopsis = "",
	  .brief = "start ndrxd, but no server", .example = "idle" },
	{ .name = "ldcf", .group = domain, .options = "",
	  .guest = OW_CMD_NEVER,
	  .run = ow_control_ldcf, .synopsis = "",
	  .brief = "load the configuration: start ndrxd, if none runs",
	  .example = "ldcf" },
	{ .name = "mmon", .group = domain, .options = "",
	  .run = ow_control_mmon, .synopsis = "",
	  .brief = "maintenance mode: ndrxd starts nothing by itself",
	  .help = "A server or client that dies stays down, a hung one is not "
		  "killed, a group is\nnot taken over, no changed program is "
		  "started. Your own start, stop and restart\nwork. Calls of a "
		  "service without server get TPENOENT. Until `mmoff`, or the\n"
		  "end of the domain.",
	  .example = "mmon" },
	{ .name = "mmoff", .group = domain, .options = "",
	  .run = ow_control_mmoff, .synopsis = "",
	  .brief = "end maintenance mode, and start what has died meanwhile",
	  .example = "mmoff" },
	{ .name = "cabort", .group = domain, .options = "y",
	  .run = ow_control_cabort, .synopsis = "[-y]",
	  .brief = "end the start or stop in progress at once",
	  .help = "Servers that were already told to start or stop do so; "
		  "the others stay as\nthey are.",
	  .example = "cabort -y" },
	{ .name = "down", .group = domain, .options = "yu",
	  .guest = OW_CMD_NEVER,
	  .run = ow_repair_down, .synopsis = "[-y] [-u]",
	  .brief = "kill every process of the domain, remove queues and "
		   "memory",
	  .help = "For a domain that does not stop, or to remove what a "
		  "dead one left. Works\nwithout ndrxd and with damaged "
		  "tables. Requests being served are lost.\n"
		  "  -u  spare processes of other users",
	  .example = "down -y" },
	{ .name = "udown", .group = domain, .options = "y",
	  .guest = OW_CMD_NEVER,
	  .run = ow_repair_down, .synopsis = "[-y]",
	  .brief = "as down -u: processes of other users are spared",
	  .example = "udown -y" },
	{ .name = "dsleep", .group = domain, .options = "", .max_rest = 1,
	  .guest = OW_CMD_NEVER,
	  .run = ow_control_dsleep, .synopsis = "SECONDS",
	  .brief = "suspend ndrxd for a time, for tests",
	  .help = "ndrxd is stopped by SIGSTOP and continued by SIGCONT; "
		  "calls go on meanwhile.",
	  .example = "dsleep 2.5" },
	{ .name = "cat", .group = domain, .options = "",
	  .run = ow_control_cat, .synopsis = "",
	  .brief = "watch the start or stop in progress", .example = "cat" },
	{ .name = "dping", .group = domain, .options = "c:",
	  .run = ow_control_dping, .synopsis = "[-c COUNT]",
	  .brief = "ping ndrxd and print the time it takes",
	  .help = "COUNT rounds (4), one per second.",
	  .example = "dping -c 1" },
	{ .name = "dpid", .group = domain, .options = "",
	  .run = ow_control_dpid, .synopsis = "",
	  .brief = "process id of ndrxd", .example = "dpid" },
	{ .name = "appconfig", .group = domain, .options = "", .max_rest = 2,
	  .run = ow_control_appconfig, .synopsis = "[NAME [VALUE]]",
	  .brief = "show or change a setting of the running ndrxd",
	  .help = "NAME is one of sanity checkpm brrefresh restart_min "
		  "restart_step restart_max\nrestart_to_check "
		  "gather_pq_stats rqaddrttl spin. Lasts until ndrxd ends.",
	  .example = "appconfig sanity 2" },
	{ .name = "lcf", .group = domain, .options = "123p:b:arnes:A:B:",
	  .json = true, .max_rest = 1,
	  .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_COMMANDS,
	  .noted = true, .run = ow_control_lcf,
	  .synopsis = "[WORD] -A -p -b -a -B -1 -2 -3 -r -n -e -s",
	  .brief = "change or rotate the logs of running processes",
	  .help = LCF_HELP,
	  .example = "lcf logchg -b banksv -A \"tp=5\"" },
};

const struct ow_cmd_group ow_cmds_domain = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
