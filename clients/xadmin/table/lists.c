/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c - rows of the commands of xadmin: listings
 */
#include "clients/xadmin/doctor/checks.h"
#include "clients/xadmin/import/import.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/table/table.h"
#include "clients/xadmin/table/texts.h"

static const char lists[] = "Listings";

static const struct ow_cmd rows[] = {
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
		  "groups without a lock.\nMMON: maintenance mode. SBOOT, "
		  "CBOOT: servers, clients may start. LP...: the lock\n"
		  "provider. RSN 1: not locked; --json says why. FLAGS: s "
		  "singleton, n without order,\nw members wait.\n"
		  "  -a  which node holds each lock",
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
	  .help = HOSTS_HELP,
	  .example = "hosts --watch" },
	{ .name = "http", .group = lists, .options = "", .json = true,
	  .max_rest = 3, .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_NEVER,
	  .run = ow_import_http, .synopsis = "[import FILE [NUMBER]]",
	  .brief = "routes of the gates for HTTP; those of an OpenAPI file",
	  .help = HTTP_HELP,
	  .example = "http --watch" },
	{ .name = "schema", .group = lists, .options = "", .json = true,
	  .max_rest = 1, .guest = OW_CMD_LOOKS, .run = ow_list_schema,
	  .synopsis = "[SERVICE]", .help = SCHEMA_HELP, .example = "schema PAY",
	  .brief = "fields that services were seen to take and give, by HTTP" },
	{ .name = "pnet", .group = lists, .options = "", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_pnet, .synopsis = "",
	  .brief = "links to other nodes, one row per bridge there",
	  .help = PNET_HELP,
	  .example = "pnet --json" },
	{ .name = "releases", .group = lists, .options = "s:", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_releases,
	  .synopsis = "[-s SRV]",
	  .brief = "which build of its program each server runs",
	  .help = RELEASES_HELP,
	  .example = "releases -s banksv" },
	{ .name = "times", .group = lists, .options = "s:r", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_times,
	  .synopsis = "[-s SVC] [-r]",
	  .brief = "how long services take, by node: median and p99",
	  .help = TIMES_HELP,
	  .example = "times -s TRANSFER" },
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
	  .help = EVENTS_HELP,
	  .example = "events -n 20 -i 7" },
	{ .name = "calls", .group = lists, .options = "s:b", .json = true,
	  .stuck = true, .max_rest = 1,
	  .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_NEVER,
	  .run = ow_list_calls,
	  .synopsis = "[-s SVC] [-b] [--stuck] [EXPRESSION]",
	  .brief = "requests that wait or are served now, with their callers",
	  .help = CALLS_HELP,
	  .example = "calls \"AMOUNT>10000 && age>1\"" },
	{ .name = "logs", .group = lists, .options = "n:", .max_rest = 1,
	  .json = true, .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_LOOKS,
	  .run = ow_list_logs, .synopsis = "[-n COUNT] TRACE",
	  .brief = "lines of all logs that are of one trace",
	  .help = LOGS_HELP,
	  .example = "logs 4bf92f3577b34da6a3ce929d0e0e4736" },
	{ .name = "when", .group = lists, .options = "r:", .max_rest = 2,
	  .json = true, .guest = OW_CMD_LOOKS, .guest_rest = OW_CMD_LOOKS,
	  .run = ow_list_when, .synopsis = "[-r FILE] [FROM [TO]]",
	  .brief = "what changed between two times, from the black box",
	  .help = WHEN, .example = "when 03:10 03:20" },
	{ .name = "clients", .group = lists, .options = "r", .json = true,
	  .guest = OW_CMD_LOOKS, .run = ow_list_clients, .synopsis = "[-r]",
	  .brief = "contexts that call, with their results",
	  .help = CONTEXTS_HELP,
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
	  .help = "CLASS: T_CLIENT T_DOMAIN T_GROUP T_MACHINE T_QUEUE "
		  "T_SERVER T_SERVICE T_SVCGRP. The same\nas tpadmcall() and the "
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
};

const struct ow_cmd_group ow_cmds_lists = {
	.rows = rows,
	.n = sizeof(rows) / sizeof(rows[0]),
};
