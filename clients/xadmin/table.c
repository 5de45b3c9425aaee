/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - the table of xadmin's commands
 *
 * To add a command: a row here; the function in the folder that fits (list,
 * control, repair, setup, session), declared in the header of the folder. For
 * a listing `.json = true` gives --json, --csv, --watch and --wide; the
 * function writes its rows through output/listing.h. One that reads the tables
 * or the processes of the domain has `.guest = OW_CMD_LOOKS`; one that changes
 * something there, OW_CMD_COMMANDS. The tests then want the command in
 * doc/man/man8/xadmin.8 and in a story of tests/e2e.
 */
#include "clients/xadmin/command/command.h"
#include "clients/xadmin/control/control.h"
#include "clients/xadmin/doctor/checks.h"
#include "clients/xadmin/durable/durable.h"
#include "clients/xadmin/import/import.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/repair/repair.h"
#include "clients/xadmin/scan/scan.h"
#include "clients/xadmin/session/session.h"
#include "clients/xadmin/setup/setup.h"
#include "clients/xadmin/texts.h"

static const char general[] = "General";
static const char domain[] = "Domain";
static const char lists[] = "Listings";
static const char services[] = "Services";
static const char clients[] = "Clients";
static const char transactions[] = "Transactions";
static const char durable[] = "Durable queues";
static const char repairs[] = "Repairs";
static const char folders[] = "New domains";

const struct ow_cmd ow_commands[] = {
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

	{ .name = "start", .group = domain, .options = "yks:i:g:L",
	  .run = ow_control_start,
	  .synopsis = "[-y] [-k] [-s SRV] [-i ID] [-g GRP] [-L]",
	  .brief = "start all servers of the configuration, or some",
	  .help = SELECT LOCKS STARTS,
	  .example = "start -y" },
	{ .name = "stop", .group = domain, .options = "yckfls:i:g:L", .drain = true,
	  .run = ow_control_stop,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] [-L] [-k] [-f] [--drain]",
	  .brief = "stop all servers and ndrxd, or some servers",
	  .help = SELECT LOCKS STOPS,
	  .example = "stop -i 20" },
	{ .name = "drain", .group = domain, .options = "ys:i:g:v:",
	  .run = ow_control_drain, .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] | -v SVC",
	  .brief = "serve what waits, then stop servers or suspend a service",
	  .help = SELECT "\n  -v SVC  suspend the service, and wait for what is under way",
	  .example = "drain -i 20" },
	{ .name = "restart", .alias = "r", .group = domain,
	  .options = "ys:i:g:L", .run = ow_control_restart,
	  .synopsis = "[-y] [-s SRV] [-i ID] [-g GRP] [-L]",
	  .brief = "stop servers, then start them",
	  .help = SELECT LOCKS, .example = "r -s banksv" },
	{ .name = "sreload", .alias = "sr", .group = domain,
	  .options = "ys:i:g:", .max_rest = -1, .run = ow_control_sreload,
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
	  .run = ow_control_lcf,
	  .synopsis = "[WORD] -A -p -b -a -B -1 -2 -3 -r -n -e -s",
	  .brief = "change or rotate the logs of running processes",
	  .help = LCF_HELP,
	  .example = "lcf logchg -b banksv -A \"tp=5\"" },

	{ .name = "stat", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_stat, .synopsis = "",
	  .brief = "the domain in ten lines", .example = "stat --watch" },
	{ .name = "ppm", .group = lists, .options = "23", .json = true,
	  .run = ow_list_ppm, .synopsis = "[-2 | -3]",
	  .brief = "server processes as ndrxd sees them",
	  .help = PPM_HELP,
	  .example = "ppm --json" },
	{ .name = "psg", .group = lists, .options = "a", .json = true,
	  .run = ow_list_psg, .synopsis = "[-a]",
	  .brief = "process groups and their locks",
	  .help = "LCKD: the lock is held here, and members may run; - for "
		  "groups without a lock.\nSBOOT, CBOOT: servers, clients may "
		  "start. LP...: the lock provider. RSN 1: not\nlocked; --json "
		  "says why. FLAGS: s singleton, n without order, w members "
		  "wait.\n  -a  which node holds each lock",
	  .example = "psg" },
	{ .name = "spans", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_spans, .synopsis = "",
	  .brief = "who reads the spans of the domain (ndrxotel), and drops",
	  .help = SPANS_HELP, .example = "spans" },
	{ .name = "cacheshow", .alias = "cs", .group = lists, .options = "",
	  .json = true, .guest = OW_CMD_LOOKS,
	  .run = ow_list_cacheshow, .synopsis = "",
	  .brief = "services whose replies are kept (<services cache>)",
	  .help = CACHESHOW_HELP, .example = "cacheshow --watch" },
	{ .name = "psc", .group = lists, .options = "s", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_psc, .synopsis = "[-s]",
	  .brief = "services, one row per server that offers them",
	  .help = "#SUCC and #FAIL count calls, MAX and LAST are service "
		  "times. STAT is BUSY while\nthe server works on this "
		  "service, SUSP while\nthe service is suspended.\n"
		  "  -s  long service names, no function",
	  .example = "psc --json" },
	{ .name = "psvc", .group = lists, .options = "r", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_psvc, .synopsis = "[-r]",
	  .brief = "services and how many servers offer each",
	  .help = "NSRV: servers here. CSRVS: on other nodes; TCLST: all "
		  "together. CMAX: the highest\nnode that offers it. CNODES: a "
		  "digit for each node from 1 on, its servers; +\nfor ten and "
		  "more. FLAGS: 1 suspended.\n"
		  "  -r  names in full, as --wide",
	  .example = "psvc" },
	{ .name = "prtsvc", .group = lists, .options = "aiw", .json = true,
	  .guest = OW_CMD_LOOKS,
	  .run = ow_list_prtsvc, .synopsis = "[-a] [-i] [-w]",
	  .brief = "what is in force of <services>: priority, route, autotran",
	  .help = "T: Y, a request without a transaction begins one, with the "
		  "time-out TRANTIME in\nseconds. FLAGS: s suspended, r routed, "
		  "c replies are kept. -a, -i and -w are taken\nwithout effect.",
	  .example = "prtsvc" },
	{ .name = "hosts", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_hosts, .synopsis = "",
	  .brief = "hosts that services call by HTTP (restoutsv, <outgoing>)",
	  .help = "BREAKER: closed, calls go; open, the host has failed and is "
		  "left alone; half-open,\none call tries; none. FAILED: no "
		  "answer, or 502, 503, 504; RETRIED: repetitions;\nREFUSED: "
		  "calls that were not sent because the breaker was open.\n",
	  .example = "hosts --watch" },
	{ .name = "http", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_http, .synopsis = "",
	  .brief = "routes of the gates for HTTP (httpgate, restincl)",
	  .help = HTTP_HELP,
	  .example = "http --watch" },
	{ .name = "schema", .group = lists, .options = "", .json = true,
	  .max_rest = 1, .guest = OW_CMD_LOOKS, .run = ow_list_schema,
	  .synopsis = "[SERVICE]", .help = SCHEMA_HELP, .example = "schema PAY",
	  .brief = "fields that services were seen to take and give, by HTTP" },
	{ .name = "pnet", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_pnet, .synopsis = "",
	  .brief = "links to other nodes, one row per bridge there",
	  .help = "SRVID is the bridge here (ndrxbridge), BRIDGE the one of "
		  "NODE. STATE: up; down, it\nis silent; left, it has ended; "
		  "cut, its node took too much (`doctor`). SVCS: offered.\n"
		  "ERR: calls that ended with an error; LOST: whose outcome "
		  "nobody knows, or that were\nnot delivered. OPEN: calls "
		  "under way; WAIT: held back, because it is slow.",
	  .example = "pnet --json" },
	{ .name = "psrv", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_psrv, .synopsis = "",
	  .brief = "servers: exec error, exit status, last order, caller",
	  .example = "psrv" },
	{ .name = "pq", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_pq, .synopsis = "",
	  .brief = "requests waiting in the services' queues",
	  .help = "QUEUE LAST is the depth now. HISTORICAL are the last ten "
		  "samples, newest first,\nAVERAGE is theirs. ndrxd takes one "
		  "per sanity cycle, at most one a second, when\n"
		  "<gather_pq_stats> is Y; `appconfig gather_pq_stats Y` "
		  "begins at once. 0 where\nthere is none.",
	  .example = "pq --watch=1" },
	{ .name = "pqa", .group = lists, .options = "a", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_pqa, .synopsis = "[-a]",
	  .brief = "all queues of the domain and their depths",
	  .help = "  -a  queues of other domains too, where the queue file "
		  "system (NDRX_QPATH) is\n      mounted",
	  .example = "pqa" },
	{ .name = "events", .group = lists, .options = "n:i:",
	  .json = true,
	  .guest = OW_CMD_LOOKS,
	  .run = ow_list_events, .synopsis = "[-n COUNT] [-i ID]",
	  .brief = "what ndrxd did, and who ordered it",
	  .help = "The history, $NDRX_APPHOME/log/history.log, outlasts the "
		  "domain: starts, ends\nand deaths of processes, reloads, "
		  "and each order with user, terminal and command.\n"
		  "  -n  the last COUNT events (100)\n"
		  "  -i  only events of the server with this id",
	  .example = "events -n 20 -i 7" },
	{ .name = "calls", .group = lists, .options = "s:b", .json = true,
	  .stuck = true, .max_rest = 1,
	  .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_NEVER,
	  .run = ow_list_calls,
	  .synopsis = "[-s SVC] [-b] [--stuck] [EXPRESSION]",
	  .brief = "requests that wait or are served now, with their callers",
	  .help = CALLS_HELP,
	  .example = "calls \"AMOUNT>10000 && age>1\"" },
	{ .name = "when", .group = lists, .options = "r:", .max_rest = 2,
	  .json = true, .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_LOOKS,
	  .run = ow_list_when, .synopsis = "[-r FILE] [FROM [TO]]",
	  .brief = "what changed between two times, from the black box",
	  .help = WHEN, .example = "when 03:10 03:20" },
	{ .name = "clients", .group = lists, .options = "r", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_clients, .synopsis = "[-r]",
	  .brief = "contexts that call, with their results",
	  .help = "KIND is client, server (that calls), or dead: not yet "
		  "removed. OPEN: calls without\na reply yet. LATE: replies "
		  "that came after the time-out. ONEWAY: of the calls. "
		  "`pc` lists the\nprograms of <clients>.\n"
		  "  -r  look for a second: CALLS/S, busiest first",
	  .example = "clients --json" },
	{ .name = "acl", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_acl, .synopsis = "",
	  .brief = "who may call, post and subscribe; must callers log in",
	  .help = "What is in force now. KIND is login (<security>: its "
		  "level, file and service),\ncall (<service acl=>), post or "
		  "subscribe (<event>). What has no row is free.",
	  .example = "acl --json" },
	{ .name = "ps", .group = lists, .options = "a:b:c:d:r:x:pm",
	  .json = true, .run = ow_list_ps,
	  .synopsis = "[-a|-b|-c|-d TEXT] [-r REGEX] [-x PID] [-p] [-m]",
	  .brief = "processes of this machine, by their command lines",
	  .help = "  -a -b -c -d  all of the texts given must be part of the "
		  "command line\n"
		  "  -r  it must match the regular expression (extended)\n"
		  "  -x  only this process and its children\n"
		  "  -p  print process ids only\n"
		  "  -m  memory: resident and address space",
	  .example = "ps -a banksv -b \"-i 20\" -p" },
	{ .name = "svmaps", .group = lists, .options = "psaiw", .json = true,
	  .run = ow_list_system_v, .synopsis = "[-p] [-s] [-a] [-i] [-w]",
	  .brief = "System V queues: none are used, `pqa` lists queues",
	  .example = "svmaps" },
	{ .name = "svqids", .group = lists, .options = "ik", .json = true,
	  .run = ow_list_system_v, .synopsis = "[-i] [-k]",
	  .brief = "ids of System V queues: none are used",
	  .example = "svqids" },
	{ .name = "svsemids", .group = lists, .options = "ik", .json = true,
	  .run = ow_list_system_v, .synopsis = "[-i] [-k]",
	  .brief = "ids of System V semaphores: none are used",
	  .example = "svsemids" },
	{ .name = "pubfdb", .alias = "ubfdb", .group = lists, .options = "t",
	  .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_fields, .synopsis = "[-t]",
	  .brief = "fields of the data base that processes share",
	  .help = PUBFDB_HELP,
	  .example = "pubfdb --csv" },
	{ .name = "mibget", .group = lists, .options = "c:m", .json = true,
	  .guest = OW_CMD_LOOKS,
	  .run = ow_list_mib, .synopsis = "-c CLASS [-m]",
	  .brief = "objects of a class of the MIB",
	  .help = "CLASS: T_CLIENT T_DOMAIN T_MACHINE T_QUEUE T_SERVER "
		  "T_SERVICE T_SVCGRP. The same\nas tpadmcall() and the "
		  "service .TMIB return.\n"
		  "  -m  a line for each object: FIELD=VALUE|FIELD=VALUE ...",
	  .example = "mibget -c T_SERVER --json" },
	{ .name = "shmcfg", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_shmcfg, .synopsis = "",
	  .brief = "shared tables: rows used, rows available",
	  .example = "shmcfg" },
	{ .name = "shms", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_shms, .synopsis = "",
	  .brief = "shared-memory segments: address space and memory used",
	  .example = "shms" },
	{ .name = "doctor", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_doctor_run, .synopsis = "",
	  .brief = "check machine, environment and domain; print cures",
	  .help = "Checks limits, environment, versions, leftovers, servers "
		  "and queues; changes\nnothing. Needs no ndrxd. Exit code 1 "
		  "if any line is FAIL.",
	  .example = "doctor" },
	{ .name = "report", .group = lists, .options = "", .max_rest = 1,
	  .guest = OW_CMD_NEVER, .run = ow_doctor_report, .synopsis = "[FILE]",
	  .brief = "pack black box, logs and configuration into one file",
	  .help = REPORT, .example = "report night.tgz" },

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
	{ .name = "killall", .group = repairs, .options = "",
	  .max_rest = -1,
	  .guest = OW_CMD_COMMANDS,
	  .run = ow_repair_killall, .synopsis = "NAME...",
	  .brief = "end processes of this domain by program name",
	  .help = "SIGTERM, after 5 seconds SIGKILL. Names are compared "
		  "whole; processes of other\ndomains are never touched. "
		  "ndrxd restarts its servers: use `stop -s NAME` to stop "
		  "them for good.",
	  .example = "killall bankcl" },
	{ .name = "qrm", .group = repairs, .options = "f", .max_rest = -1,
	  .guest = OW_CMD_COMMANDS,
	  .run = ow_repair_qrm, .synopsis = "[-f] QUEUE...",
	  .brief = "remove queues by name",
	  .help = "Names as `pqa` prints them. The messages in them are lost.\n"
		  "  -f  even a queue that a living process uses",
	  .example = "qrm /bank,clt,reply,bankcl,12,7" },
	{ .name = "qrmall", .group = repairs, .options = "f",
	  .max_rest = -1,
	  .guest = OW_CMD_COMMANDS, .run = ow_repair_qrmall,
	  .synopsis = "[-f] TEXT...",
	  .brief = "remove queues of this domain whose names contain a text",
	  .help = "  -f  even queues that living processes use",
	  .example = "qrmall clt,reply," },
	{ .name = "repair", .group = repairs, .options = "ay",
	  .max_rest = -1,
	  .guest = OW_CMD_NEVER, .run = ow_repair_damage,
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
	{ .name = "mqdm", .group = durable, .options = "n:i:s:m:",
	  .guest = OW_CMD_LOOKS, .run = ow_durable_mqdm,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -m MSGID",
	  .brief = "show a message of a durable queue",
	  .example = "mqdm -i 80 -m T1dRMQ..." },
	{ .name = "mqrm", .group = durable, .options = "n:i:s:m:",
	  .guest = OW_CMD_COMMANDS, .run = ow_durable_mqrm,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -m MSGID",
	  .brief = "remove a message from a durable queue",
	  .example = "mqrm -i 80 -m T1dRMQ..." },
	{ .name = "mqpurge", .group = durable, .options = "yn:i:s:q:",
	  .guest = OW_CMD_COMMANDS, .run = ow_durable_mqpurge,
	  .synopsis = "[-y] [-n NODE] [-i SRVID] -s QSPACE -q QUEUE",
	  .brief = "remove all messages of a durable queue",
	  .example = "mqpurge -s ORDERS -q ERRORS" },
	{ .name = "mqmv", .group = durable, .options = "n:i:m:s:q:",
	  .guest = OW_CMD_COMMANDS, .run = ow_durable_mqmv,
	  .synopsis = "[-n NODE] -i SRVID -m MSGID -s QSPACE -q QUEUE",
	  .brief = "move a message to another durable queue",
	  .help = "It gets a new id.",
	  .example = "mqmv -i 80 -m T1dRMQ... -s ORDERS -q RETRY" },
	{ .name = "mqch", .group = durable, .options = "n:i:s:q:",
	  .guest = OW_CMD_COMMANDS, .run = ow_durable_mqch,
	  .synopsis = "[-n NODE] -i SRVID | -s QSPACE -q DEFINITION",
	  .brief = "define a durable queue, until the next mqrc",
	  .example = "mqch -i 80 -q NEW,autoq=y,tries=5" },
	{ .name = "mqrc", .group = durable, .options = "",
	  .guest = OW_CMD_COMMANDS,
	  .run = ow_durable_mqrc, .synopsis = "",
	  .brief = "read the definitions of durable queues again",
	  .example = "mqrc" },
	{ .name = "mqexport", .group = durable, .options = "s:q:",
	  .guest = OW_CMD_LOOKS,
	  .run = ow_durable_mqexport, .synopsis = "-s QSPACE [-q QUEUE]",
	  .brief = "write the messages of durable queues as lines of JSON",
	  .help = "They stay in their queues.",
	  .example = "mqexport -s ORDERS > orders.json" },
	{ .name = "mqimport", .group = durable, .options = "s:q:",
	  .max_rest = 1, .guest = OW_CMD_NEVER,
	  .run = ow_durable_mqimport, .synopsis = "-s QSPACE [-q QUEUE] [FILE]",
	  .brief = "put messages that mqexport has written into queues",
	  .help = "  -q  all into this queue, whatever the lines say",
	  .example = "mqimport -s ORDERS orders.json" },

	{ .name = "passwd", .group = folders, .options = "f:dlr:w",
	  .max_rest = 1, .guest = OW_CMD_NEVER, .run = ow_setup_passwd,
	  .synopsis = "[-f FILE] [-w] [-r ROLE] [-d] NAME | -l",
	  .brief = "set the password that tpinit() asks of a user",
	  .help = PASSWD,
	  .example = "passwd anna" },
	{ .name = "provision", .group = folders, .options = "dv:",
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
	  .run = ow_control_aborttrans, .synopsis = "-t TMREF -x XID [-y]",
	  .brief = "roll a transaction back that is not decided",
	  .help = "TMREF and XID as printtrans shows them.",
	  .example = "aborttrans -t @TM-1-1-100 -x 4f57... -y" },
	{ .name = "committrans", .alias = "commit", .group = transactions,
	  .options = "t:x:y", .guest = OW_CMD_COMMANDS,
	  .run = ow_control_committrans, .synopsis = "-t TMREF -x XID [-y]",
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
	  .guest = OW_CMD_COMMANDS, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "commit one prepared branch, whatever its tmsrv says",
	  .help = "XID as recoverlocal shows it. For a branch whose tmsrv is "
		  "lost for good: the\nother branches are not asked.",
	  .example = "commitlocal -s @TM-1-1-100 -x 4f57... -y" },
	{ .name = "abortlocal", .group = transactions, .options = "s:x:y",
	  .guest = OW_CMD_COMMANDS, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "roll one prepared branch back, whatever its tmsrv says",
	  .help = "As commitlocal.",
	  .example = "abortlocal -s @TM-1-1-100 -x 4f57... -y" },
	{ .name = "forgetlocal", .group = transactions, .options = "s:x:y",
	  .guest = OW_CMD_COMMANDS, .run = ow_control_endlocal,
	  .synopsis = "-s TMSVC -x XID [-y]",
	  .brief = "forget what a resource manager has decided by itself",
	  .help = "XID of printtrans: all of a transaction whose stage is "
		  "HEURISTIC; of recoverlocal:\none branch.",
	  .example = "forgetlocal -s @TM-1-1-100 -x 4f57... -y" },

	{ .name = "call", .group = services, .options = "u:t:b:m",
	  .max_rest = 1, .guest = OW_CMD_NEVER, .run = ow_control_call,
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

const size_t ow_commands_count = sizeof(ow_commands) / sizeof(ow_commands[0]);
