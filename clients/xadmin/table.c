/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - the table of commands
 */
#include "clients/xadmin/commands.h"

#define SELECT                                                              \
	"  -y      do not ask\n"                                            \
	"  -s SRV  only servers of this program name\n"                     \
	"  -i ID   only the server with this id\n"                          \
	"-s and -i may be given several times; each is carried out in turn."

static const char general[] = "General";
static const char domain[] = "Domain";
static const char lists[] = "Listings";
static const char services[] = "Services";
static const char clients[] = "Clients";

#define CLIENTS "-t TAG [-s SUBSECT] | -g GRP [-w MS]"
#define CLIENTS_HELP                                                        \
	"  -t TAG      by tag; % stands for any characters\n"               \
	"  -s SUBSECT  and sub-section (-)\n"                               \
	"  -g GRP      by process group\n"                                  \
	"  -w MS       pause between two of them\n"                         \
	"Ends when the processes are there, or gone."

const struct ow_cmd ow_commands[] = {
	{ .name = "help", .alias = "h", .alias2 = "info", .group = general,
	  .options = "", .max_rest = 1, .run = ow_general_help,
	  .synopsis = "[COMMAND]", .brief = "list commands, or explain one",
	  .example = "help psc" },
	{ .name = "quit", .alias = "q", .alias2 = "exit", .group = general,
	  .options = "", .run = ow_general_quit, .synopsis = "",
	  .brief = "leave xadmin" },
	{ .name = "echo", .group = general, .options = "", .raw = true,
	  .run = ow_general_echo, .synopsis = "[TEXT...]",
	  .brief = "print the words, for scripts of commands",
	  .example = "echo servers are up" },
	{ .name = "ver", .alias = "-v", .group = general, .options = "",
	  .run = ow_general_version, .synopsis = "",
	  .brief = "version of this installation" },
	{ .name = "poller", .group = general, .options = "",
	  .run = ow_general_poller, .synopsis = "",
	  .brief = "what servers wait with" },
	{ .name = "pmode", .group = general, .options = "",
	  .run = ow_general_pmode, .synopsis = "",
	  .brief = "build settings and built-in sizes, as NAME=VALUE" },
	{ .name = "printenv", .alias = "pe", .group = general, .options = "",
	  .run = ow_general_printenv, .synopsis = "",
	  .brief = "the environment, sorted" },
	{ .name = "set", .group = general, .options = "", .raw = true,
	  .run = ow_general_set, .synopsis = "NAME=VALUE",
	  .brief = "set an environment variable for the next commands",
	  .help = "Servers get it only if ndrxd is started by this xadmin "
		  "afterwards.",
	  .example = "set NDRX_XADMINTOUT=5" },
	{ .name = "unset", .group = general, .options = "", .raw = true,
	  .run = ow_general_unset, .synopsis = "NAME",
	  .brief = "remove an environment variable",
	  .example = "unset NDRX_XADMINTOUT" },

	{ .name = "start", .group = domain, .options = "ys:i:",
	  .run = ow_lifecycle_start, .synopsis = "[-y] [-s SRV] [-i ID]",
	  .brief = "start all servers of the configuration, or some",
	  .help = SELECT "\nndrxd is started first when none runs; one that "
		  "meets living servers of a\ndead ndrxd takes them over.",
	  .example = "start -y" },
	{ .name = "stop", .group = domain, .options = "yckfs:i:",
	  .run = ow_lifecycle_stop,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-k] [-f]",
	  .brief = "stop all servers and ndrxd, or some servers",
	  .help = SELECT "\n  -k      by signals at once, without asking the "
		  "server\n  -f      also servers that ndrxd did not start\n"
		  "Requests in hand are finished first.",
	  .example = "stop -i 20" },
	{ .name = "restart", .alias = "r", .group = domain,
	  .options = "ys:i:", .run = ow_lifecycle_restart,
	  .synopsis = "[-y] [-s SRV] [-i ID]",
	  .brief = "stop servers, then start them",
	  .help = SELECT, .example = "r -s banksv" },
	{ .name = "sreload", .alias = "sr", .group = domain,
	  .options = "ys:i:", .run = ow_lifecycle_sreload,
	  .synopsis = "[-y] [-s SRV] [-i ID]",
	  .brief = "restart servers one after the other: no service is ever "
		   "without a server",
	  .help = SELECT, .example = "sr -y -s banksv" },
	{ .name = "reload", .group = domain, .options = "y",
	  .run = ow_lifecycle_reload, .synopsis = "",
	  .brief = "read the configuration again",
	  .help = "A file with an error changes nothing; `testcfg` tries "
		  "before.",
	  .example = "reload" },
	{ .name = "testcfg", .group = domain, .options = "",
	  .run = ow_control_testcfg, .synopsis = "",
	  .brief = "check the configuration file, change nothing",
	  .help = "A running ndrxd also says what a reload would do. Without "
		  "one the file named\nby NDRX_CONFIG is checked here.",
	  .example = "testcfg" },
	{ .name = "idle", .group = domain, .options = "",
	  .run = ow_control_idle, .synopsis = "",
	  .brief = "start ndrxd, but no server", .example = "idle" },
	{ .name = "down", .group = domain, .options = "yu",
	  .run = ow_down_run, .synopsis = "[-y]",
	  .brief = "kill every process of the domain, remove queues and "
		   "memory",
	  .help = "For domains that do not stop, and to clear away what a "
		  "dead one left. Works\nwithout ndrxd and with damaged "
		  "tables. Requests in hand are lost.",
	  .example = "down -y" },
	{ .name = "cat", .group = domain, .options = "",
	  .run = ow_lifecycle_cat, .synopsis = "",
	  .brief = "watch the start or stop in progress" },
	{ .name = "dping", .group = domain, .options = "c:",
	  .run = ow_control_dping, .synopsis = "[-c COUNT]",
	  .brief = "does ndrxd answer, and how fast",
	  .help = "COUNT rounds (4), one per second.",
	  .example = "dping -c 1" },
	{ .name = "dpid", .group = domain, .options = "",
	  .run = ow_control_dpid, .synopsis = "",
	  .brief = "process id of ndrxd" },
	{ .name = "appconfig", .group = domain, .options = "", .max_rest = 2,
	  .run = ow_control_appconfig, .synopsis = "[NAME [VALUE]]",
	  .brief = "show or change a setting of the running ndrxd",
	  .help = "NAME is one of sanity checkpm brrefresh restart_min "
		  "restart_step restart_max\nrestart_to_check "
		  "gather_pq_stats rqaddrttl. Lasts until ndrxd ends.",
	  .example = "appconfig sanity 2" },

	{ .name = "lcf", .group = domain, .options = "123p:b:arnes:A:B:",
	  .json = true, .max_rest = 1, .run = ow_lcf_run,
	  .synopsis = "[logchg -A STRING | logrotate | disable] [-p PID | -b "
		      "BIN | -a]",
	  .brief = "change or rotate the logs of running processes",
	  .help = "  logchg     apply a debug string: keys ndrx ubf tp file "
		  "format mkdir ...\n  logrotate  open the log files again "
		  "by name\n  disable    withdraw all orders\n  -p PID     "
		  "only this process\n  -b BIN     only processes of this "
		  "program\n  -a         all (so without -p and -b)\n"
		  "Processes obey within about a second, those that start "
		  "later too, until the\norders are withdrawn or the domain "
		  "is stopped. Without a command: the orders.\nA renamed file "
		  "(logrotate) is noticed without an order. -1 -2 -3 -r -n -e "
		  "-s -B\nhave no effect.",
	  .example = "lcf logchg -b banksv -A \"tp=5\"" },

	{ .name = "stat", .group = lists, .options = "", .json = true,
	  .run = ow_list_stat, .synopsis = "",
	  .brief = "the domain in ten lines" },
	{ .name = "ppm", .group = lists, .options = "23", .json = true,
	  .run = ow_list_ppm, .synopsis = "[-2 | -3]",
	  .brief = "server processes as ndrxd sees them",
	  .help = "STATE nstrd not started, died, exit stopped, nobin acces "
		  "limit eargs esys eenv\nbadfi cannot be started, start "
		  "starting, runok running, stop stopping, rsta\nrestarting, "
		  "wait waiting. REQST is what was asked for. AS started with "
		  "the\ndomain, EXSQ tries to start in a row, NTRM signals "
		  "sent, K killed when it does\nnot stop. RSP, LSIG, STCH: "
		  "seconds since the last start, signal, change of\nstate.\n"
		  "  -2  program files\n  -3  process groups",
	  .example = "ppm --json" },
	{ .name = "psc", .group = lists, .options = "s", .json = true,
	  .run = ow_list_psc, .synopsis = "[-s]",
	  .brief = "services, one row per server that offers them",
	  .help = "#SUCC and #FAIL count calls, MAX and LAST are service "
		  "times. STAT is BUSY while\nthe server works on this "
		  "service.\n  -s  long service names, no function",
	  .example = "psc --json" },
	{ .name = "psvc", .group = lists, .options = "r", .json = true,
	  .run = ow_list_psvc, .synopsis = "[-r]",
	  .brief = "services and how many servers offer each",
	  .help = "  -r  names in full", .example = "psvc" },
	{ .name = "psrv", .group = lists, .options = "", .json = true,
	  .run = ow_list_psrv, .synopsis = "",
	  .brief = "servers: exec error, exit status, last order, caller" },
	{ .name = "pq", .group = lists, .options = "", .json = true,
	  .run = ow_list_pq, .synopsis = "",
	  .brief = "requests waiting in the services' queues",
	  .help = "LAST is the depth now. AVERAGE and the ten cycles need a "
		  "collector\n(gather_pq_stats), which this version has not: "
		  "they are 0.",
	  .example = "pq" },
	{ .name = "pqa", .group = lists, .options = "a", .json = true,
	  .run = ow_list_pqa, .synopsis = "[-a]",
	  .brief = "all queues of the domain and their depths",
	  .help = "  -a  queues of other domains too, where the queue file "
		  "system (NDRX_QPATH) is\n      mounted",
	  .example = "pqa" },
	{ .name = "shms", .group = lists, .options = "", .json = true,
	  .run = ow_list_shms, .synopsis = "",
	  .brief = "shared-memory segments: address space and memory used" },
	{ .name = "doctor", .group = lists, .options = "", .json = true,
	  .run = ow_doctor_run, .synopsis = "",
	  .brief = "what is wrong here, and which line would mend it",
	  .help = "Looks at limits, environment, versions, leftovers, "
		  "servers and queues; changes\nnothing. Needs no ndrxd. "
		  "Exit code 1 if anything is a FAIL.",
	  .example = "doctor" },

	{ .name = "pc", .group = clients, .options = "", .json = true,
	  .run = ow_clients_pc, .synopsis = "",
	  .brief = "client programs of <clients>", .example = "pc" },
	{ .name = "bc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_clients_bc, .synopsis = CLIENTS,
	  .brief = "boot client programs", .help = CLIENTS_HELP,
	  .example = "bc -t FEED -s %" },
	{ .name = "sc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_clients_sc, .synopsis = CLIENTS,
	  .brief = "stop client programs", .help = CLIENTS_HELP,
	  .example = "sc -t FEED" },
	{ .name = "rc", .group = clients, .options = "t:s:g:w:",
	  .run = ow_clients_rc, .synopsis = CLIENTS,
	  .brief = "restart client programs", .help = CLIENTS_HELP,
	  .example = "rc -g BATCH -w 500" },

	{ .name = "unadv", .group = services, .options = "i:s:",
	  .run = ow_control_unadv, .synopsis = "-i ID -s SVC",
	  .brief = "let a server stop offering a service",
	  .example = "unadv -i 20 -s BALANCE" },
	{ .name = "readv", .group = services, .options = "i:s:",
	  .run = ow_control_readv, .synopsis = "-i ID -s SVC",
	  .brief = "let a server offer a service again",
	  .example = "readv -i 20 -s BALANCE" },
};

const size_t ow_commands_count = sizeof(ow_commands) / sizeof(ow_commands[0]);
