/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - the elements and attributes that hold one value
 *
 * Rows are printed and shown in this order. The documentation names the unit
 * first; the default is appended from .initial.
 */
#include "libndrx/config/grammar.h"

#include "libndrx/config/config.h"
#include "libubf/base/compatible.h"

#define APP(member)	offsetof(struct ow_config_app, member)
#define SERVER(member)	offsetof(struct ow_config_server, member)
#define GROUP(member)	offsetof(struct ow_config_procgroup, member)
#define CLIENT(member)	offsetof(struct ow_config_client, member)
#define ACCESS(member) offsetof(struct ow_config_access, member)
#define SECURITY(member) offsetof(struct ow_config_security, member)
#define CLUSTER(member) offsetof(struct ow_config_cluster, member)
#define EVENT(member) offsetof(struct ow_config_event, member)
#define ROUTE(member) offsetof(struct ow_config_route, member)
#define SERVICE(member) offsetof(struct ow_config_service, member)
#define TEXT2(n)	#n
#define TEXT(n)		TEXT2(n)
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

enum { PATH_LEN = 4095, SERVICE_LEN = 30, ROUTE_LEN = 15 };

static const struct ow_field app_fields[] = {
	{ .name = "sanity", .kind = OW_FIELD_SECONDS,
	  .flags = OW_FIELD_POSITIVE, .offset = APP(sanity_ms),
	  .initial = "1",
	  .doc = "Seconds: length of a cycle." },
	{ .name = "checkpm", .kind = OW_FIELD_CYCLES,
	  .offset = APP(checkpm_ms), .initial = "2",
	  .doc = "Cycles: how often process ids are verified." },
	{ .name = "brrefresh", .kind = OW_FIELD_CYCLES,
	  .offset = APP(brrefresh_ms), .initial = "60s",
	  .doc = "Cycles between two announcements of all services by "
		 "bridges; 0: never." },
	{ .name = "restart_min", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_min_ms), .initial = "1",
	  .doc = "Cycles: a dead server is started again after this time; at "
		 "once, if it had served for 10 s." },
	{ .name = "restart_step", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_step_ms), .initial = "1",
	  .doc = "Cycles: added to this time with each further try." },
	{ .name = "restart_max", .kind = OW_FIELD_CYCLES,
	  .offset = APP(restart_max_ms), .initial = "10",
	  .doc = "Cycles: the longest pause between tries." },
	{ .name = "restart_to_check", .kind = OW_FIELD_SECONDS,
	  .offset = APP(restart_to_check_ms), .initial = "20",
	  .doc = "Seconds: how long a new ndrxd waits for servers that "
		 "already run." },
	{ .name = "gather_pq_stats", .kind = OW_FIELD_BOOL,
	  .offset = APP(gather_pq_stats), .initial = "N",
	  .doc = "Y: sample the depths of service queues once per cycle, "
		 "the history in xadmin pq." },
	{ .name = "rqaddrttl", .kind = OW_FIELD_SECONDS,
	  .flags = OW_FIELD_INERT, .offset = APP(rqaddrttl_ms),
	  .initial = "10",
	  .doc = "Seconds; System V queues. No effect." },
	{ .name = "ddrreload", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_INERT, .offset = APP(ddrreload_ms),
	  .initial = "60",
	  .doc = "Cycles: reload of routing. No effect yet." },
	{ .name = "transport", .kind = OW_FIELD_TEXT,
	  .offset = APP(transport), .words = "auto posix shm",
	  .doc = "How messages travel. Default: NDRX_TRANSPORT, or auto." },
	{ .name = "wake", .kind = OW_FIELD_TEXT, .offset = APP(wake),
	  .words = "bell exclusive herd hot even",
	  .doc = "How waiting servers are woken: bell, exclusive, herd "
		 "(posix); hot, even (shm). Default: NDRX_WAKE, or bell, "
		 "or hot." },
	{ .name = "spin", .kind = OW_FIELD_SHARE, .offset = APP(spin),
	  .lo = 0, .hi = 100, .words = "always", .initial = "20",
	  .doc = "Per cent of one CPU that waiting processes may take to "
		 "look for messages before they sleep; 0: they sleep at once; "
		 "always: they look whenever they wait." },
	{ .name = "mask", .kind = OW_FIELD_TEXT, .offset = APP(mask),
	  .doc = "Names of UBF fields, between commas or blanks: whoever looks "
		 "at requests sees *** in place of their values." },
};
const struct ow_field_table ow_config_app_table = {
	.fields = app_fields, .n = COUNT(app_fields),
	.rule = "appsettings",
};

static const struct ow_field server_fields[] = {
	{ .name = "srvid", .kind = OW_FIELD_INT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(srvid), .lo = 1,
	  .hi = OW_CONFIG_SRVID_MAX,
	  .missing = "add one, an integer from 1 to 65535 that no other "
		     "server has",
	  .doc = "The ids of the entry are srvid to srvid + max - 1; each "
		 "id once in the domain." },
	{ .name = "min", .kind = OW_FIELD_INT, .offset = SERVER(min),
	  .lo = 0, .hi = OW_CONFIG_SRVID_MAX, .initial = "0",
	  .doc = "Servers started with the domain." },
	{ .name = "max", .kind = OW_FIELD_INT, .offset = SERVER(max),
	  .lo = 1, .hi = OW_CONFIG_SRVID_MAX,
	  .doc = "Greatest number of servers. Default: min, at least 1." },
	{ .name = "mindispatchthreads", .kind = OW_FIELD_INT,
	  .offset = SERVER(mindispatchthreads), .lo = 1, .hi = 1024,
	  .initial = "1",
	  .doc = "Worker threads." },
	{ .name = "maxdispatchthreads", .kind = OW_FIELD_INT,
	  .offset = SERVER(maxdispatchthreads), .lo = 1, .hi = 1024,
	  .doc = "Default: mindispatchthreads." },
	{ .name = "threadstacksize", .kind = OW_FIELD_INT,
	  .offset = SERVER(threadstacksize), .lo = -1, .hi = 4194304,
	  .initial = "0",
	  .doc = "KiB per worker thread; 0: the system's choice, -1: as "
		 "main." },
	{ .name = "autokill", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(autokill), .initial = "N",
	  .doc = "Y: kill a process that hangs in start, ping or stop." },
	{ .name = "respawn", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(respawn), .initial = "Y",
	  .doc = "Y: start a dead server again." },
	{ .name = "env", .kind = OW_FIELD_TEXT, .offset = SERVER(env_file),
	  .hi = PATH_LEN,
	  .doc = "Without attributes: a file of NAME=VALUE lines." },
	{ .name = "start_max", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(start_max_ms),
	  .initial = "60s",
	  .doc = "Cycles: the longest start." },
	{ .name = "pingtime", .kind = OW_FIELD_CYCLES,
	  .offset = SERVER(pingtime_ms), .initial = "0",
	  .doc = "Cycles between pings; 0: none." },
	{ .name = "ping_max", .kind = OW_FIELD_CYCLES,
	  .offset = SERVER(ping_max_ms),
	  .doc = "Cycles: the longest wait for the reply to a ping, outside "
		 "of services. Default: four times pingtime." },
	{ .name = "svctimeout", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(svctimeout_ms), .initial = "0",
	  .doc = "Seconds that a service may take before a server that "
		 "answers no ping counts as hung; 0: until the time-out of "
		 "its caller." },
	{ .name = "end_max", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(end_max_ms),
	  .initial = "30s",
	  .doc = "Cycles: the longest stop." },
	{ .name = "killtime", .kind = OW_FIELD_CYCLES,
	  .flags = OW_FIELD_POSITIVE, .offset = SERVER(killtime_ms),
	  .initial = "5s",
	  .doc = "Cycles between the signals of killseq." },
	{ .name = "killseq", .kind = OW_FIELD_KILLSEQ,
	  .offset = SERVER(killseq), .initial = "2,15,9",
	  .doc = "Up to three signals." },
	{ .name = "restart_tries", .kind = OW_FIELD_INT,
	  .offset = SERVER(restart_tries), .lo = 0, .hi = 1000000,
	  .initial = "0",
	  .doc = "Failures in a row after which the server is given up; "
		 "0: never." },
	{ .name = "autoscale", .kind = OW_FIELD_SCALE,
	  .offset = SERVER(scale), .initial = "N",
	  .doc = "Number of servers between min and max, by the time that "
		 "requests wait: wait=TIME after=TIME calm=TIME." },
	{ .name = "sleep_after", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(sleep_after_ms), .initial = "0",
	  .doc = "Seconds of pause after the start, before the next "
		 "entry." },
	{ .name = "srvstartwait", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(srvstartwait_ms), .initial = "30",
	  .doc = "Seconds after which the next entry is started anyway." },
	{ .name = "srvstopwait", .kind = OW_FIELD_SECONDS,
	  .offset = SERVER(srvstopwait_ms), .initial = "30",
	  .doc = "Seconds after which the next entry is stopped anyway; "
		 "entries that do not end share the longest." },
	{ .name = "sysopt", .kind = OW_FIELD_COMMAND,
	  .offset = SERVER(sysopt),
	  .doc = "Options of the system, before \"--\"." },
	{ .name = "appopt", .kind = OW_FIELD_COMMAND,
	  .offset = SERVER(appopt),
	  .doc = "Options of the application, after \"--\"." },
	{ .name = "clopt", .kind = OW_FIELD_COMMAND,
	  .flags = OW_FIELD_CHECKED,
	  .doc = "Both in one: options of the system, \"--\", options of the "
		 "application." },
	{ .name = "fullpath", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(fullpath),
	  .hi = PATH_LEN,
	  .doc = "Start this program instead of the one in PATH." },
	{ .name = "cmdline", .kind = OW_FIELD_COMMAND,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVER(cmdline),
	  .doc = "A whole command line, for wrappers; ${NDRX_SVCLOPT} are "
		 "the options." },
	{ .name = "exportsvcs", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(exportsvcs),
	  .doc = "Of a bridge: the services for other nodes, separated by "
		 "commas. Default: all." },
	{ .name = "blacklistsvcs", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(blacklistsvcs),
	  .doc = "Of a bridge: services never for other nodes; stronger "
		 "than exportsvcs." },
	{ .name = "cctag", .kind = OW_FIELD_TEXT, .offset = SERVER(cctag),
	  .hi = 255,
	  .doc = "Tags of configuration sections: NDRX_CCTAG." },
	{ .name = "compat", .kind = OW_FIELD_TEXT, .offset = SERVER(compat),
	  .words = OW_COMPAT_WORDS,
	  .doc = "strict-tuxedo or strict-enduro: NDRX_COMPAT." },
	{ .name = "protected", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(protect), .initial = "N",
	  .doc = "Y: survives stop -k." },
	{ .name = "reloadonchange", .kind = OW_FIELD_BOOL,
	  .offset = SERVER(reloadonchange), .initial = "N",
	  .doc = "Y: restart when the program file changes (development)." },
	{ .name = "rssmax", .kind = OW_FIELD_SIZE, .offset = SERVER(rssmax),
	  .initial = "-1",
	  .doc = "Bytes of memory, K M G T: orderly restart above. -1: no "
		 "limit." },
	{ .name = "vszmax", .kind = OW_FIELD_SIZE, .offset = SERVER(vszmax),
	  .initial = "-1",
	  .doc = "Bytes of address space, K M G T: orderly restart above. "
		 "-1: no limit." },
	{ .name = "rqaddr", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_INERT,
	  .offset = SERVER(rqaddr), .hi = 30,
	  .doc = "System V request queue. No effect." },
	{ .name = "procgrp", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(procgrp), .hi = OW_CONFIG_GROUP_NAME_LEN,
	  .doc = "The process group that the server is a member of." },
	{ .name = "procgrp_lp", .kind = OW_FIELD_TEXT,
	  .offset = SERVER(procgrp_lp), .hi = OW_CONFIG_GROUP_NAME_LEN,
	  .doc = "The process group that the server is the lock provider "
		 "of." },
};
const struct ow_field_table ow_config_server_table = {
	.fields = server_fields, .n = COUNT(server_fields),
	.rule = "serversettings",
};

_Static_assert(COUNT(server_fields) <= OW_CONFIG_FIELDS, "draft too small");
_Static_assert(COUNT(app_fields) <= OW_CONFIG_FIELDS, "draft too small");

static const struct ow_field server_attrs[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = OW_CONFIG_SERVER_NAME_LEN, .pattern = "[^/,\\s]+",
	  .missing = "write <server name=\"program\">",
	  .doc = "Name of the program." },
};
const struct ow_field_table ow_config_server_attrs = {
	.fields = server_attrs, .n = COUNT(server_attrs),
	.rule = "serverattrs",
};

/* ---- variables ---- */

static const struct ow_field env_attrs[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .pattern = ".+", .missing = "write <env name=\"NAME\">" },
	{ .name = "unset", .kind = OW_FIELD_BOOL, .flags = OW_FIELD_CHECKED,
	  .doc = "Y: remove the variable." },
};
const struct ow_field_table ow_config_env_table = {
	.fields = env_attrs, .n = COUNT(env_attrs),
	.rule = "envattrs",
};

static const struct ow_field envs_attrs[] = {
	{ .name = "group", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .pattern = ".+" },
};
const struct ow_field_table ow_config_envs_table = {
	.fields = envs_attrs, .n = COUNT(envs_attrs),
	.rule = "envsattrs",
};

static const struct ow_field named_envs_attrs[] = {
	{ .name = "group", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .pattern = ".+",
	  .missing = "write <envs group=\"NAME\"> here, or put it into "
		     "a <client>" },
};
const struct ow_field_table ow_config_named_envs_table = {
	.fields = named_envs_attrs, .n = COUNT(named_envs_attrs),
	.rule = "envsnamedattrs",
};

/* ---- groups, clients, services, routing ---- */

static const struct ow_field group_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = GROUP(name),
	  .hi = OW_CONFIG_GROUP_NAME_LEN, .pattern = "[A-Za-z0-9_]*",
	  .missing = "give letters, digits and \"_\", at most 30" },
	{ .name = "grpno", .kind = OW_FIELD_INT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = GROUP(grpno), .lo = 1,
	  .hi = OW_CONFIG_GRPNO_MAX,
	  .missing = "give a number from 1 to 4096" },
	{ .name = "noorder", .kind = OW_FIELD_BOOL, .offset = GROUP(noorder),
	  .initial = "N",
	  .doc = "Y: members start together; N: one entry after another." },
	{ .name = "singleton", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(singleton), .initial = "N",
	  .doc = "Y: members run only while ndrxd holds the lock of the "
		 "group." },
	{ .name = "sg_nodes", .kind = OW_FIELD_TEXT,
	  .offset = GROUP(sg_nodes), .hi = 255, .pattern = "[0-9, ]*",
	  .doc = "Nodes of a cluster. No effect yet." },
	{ .name = "sg_nodes_verify", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(sg_nodes_verify), .initial = "N",
	  .doc = "No effect yet." },
	{ .name = "lastresource", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(last_resource), .initial = "N",
	  .doc = "Y: the commit of the resource manager of its servers may be "
		 "the decision of a transaction." },
	{ .name = "lockfile", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = GROUP(lockfile),
	  .hi = 4000,
	  .doc = "Default: GROUP.lock in the run folder." },
};
const struct ow_field_table ow_config_group_table = {
	.fields = group_fields, .n = COUNT(group_fields),
	.rule = "procgroupattrs",
};

static const struct ow_field client_fields[] = {
	{ .name = "tag", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_NO_DEFAULT,
	  .offset = CLIENT(tag), .hi = 60, .pattern = "[^/%\\s]+",
	  .missing = "give a name without \"/\", \"%\" and blanks",
	  .doc = "Name of the client." },
	{ .name = "subsect", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = CLIENT(subsect), .hi = 60,
	  .pattern = "[^/%\\s]+",
	  .doc = "Tells clients of one tag apart. Default: -." },
	{ .name = "cmdline", .kind = OW_FIELD_COMMAND,
	  .offset = CLIENT(cmdline),
	  .doc = "The command; here or in <client>." },
	{ .name = "log", .kind = OW_FIELD_TEXT, .offset = CLIENT(log),
	  .hi = PATH_LEN,
	  .doc = "File for both outputs." },
	{ .name = "stdout", .kind = OW_FIELD_TEXT, .offset = CLIENT(out),
	  .hi = PATH_LEN,
	  .doc = "File for the standard output." },
	{ .name = "stderr", .kind = OW_FIELD_TEXT, .offset = CLIENT(err),
	  .hi = PATH_LEN,
	  .doc = "File for the error output." },
	{ .name = "env", .kind = OW_FIELD_TEXT, .offset = CLIENT(env_file),
	  .hi = PATH_LEN,
	  .doc = "File of NAME=VALUE lines." },
	{ .name = "cctag", .kind = OW_FIELD_TEXT, .offset = CLIENT(cctag),
	  .hi = 255,
	  .doc = "Tags of configuration sections: NDRX_CCTAG." },
	{ .name = "compat", .kind = OW_FIELD_TEXT, .offset = CLIENT(compat),
	  .words = OW_COMPAT_WORDS,
	  .doc = "strict-tuxedo or strict-enduro: NDRX_COMPAT." },
	{ .name = "wd", .kind = OW_FIELD_TEXT, .offset = CLIENT(wd),
	  .hi = PATH_LEN,
	  .doc = "Working folder." },
	{ .name = "klevel", .kind = OW_FIELD_INT, .offset = CLIENT(klevel),
	  .lo = 0, .hi = 2, .initial = "0",
	  .doc = "Signals go to: 0 the process; 1 its children too, for "
		 "SIGKILL; 2 its children too." },
	{ .name = "autostart", .kind = OW_FIELD_BOOL,
	  .offset = CLIENT(autostart), .initial = "N",
	  .doc = "Y: start with the domain." },
	{ .name = "rssmax", .kind = OW_FIELD_SIZE, .offset = CLIENT(rssmax),
	  .initial = "-1",
	  .doc = "Bytes of memory, K M G T: restart above. -1: no limit." },
	{ .name = "vszmax", .kind = OW_FIELD_SIZE, .offset = CLIENT(vszmax),
	  .initial = "-1",
	  .doc = "Bytes of address space, K M G T: restart above. -1: no "
		 "limit." },
	{ .name = "subsectfrom", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_CHECKED, .hi = 12, .pattern = "[-+]?[0-9]+",
	  .doc = "First number of a range of sub-sections." },
	{ .name = "subsectto", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_CHECKED, .hi = 12, .pattern = "[-+]?[0-9]+",
	  .doc = "Last number of the range." },
	{ .name = "procgrp", .kind = OW_FIELD_TEXT,
	  .offset = CLIENT(procgrp), .hi = OW_CONFIG_GROUP_NAME_LEN,
	  .doc = "The process group that the client is a member of." },
};
const struct ow_field_table ow_config_client_table = {
	.fields = client_fields, .n = COUNT(client_fields),
	.rule = "clientattrs",
};

static const struct ow_field access_fields[] = {
	{ .name = "group", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = ACCESS(group), .hi = 64,
	  .pattern = "[A-Za-z0-9_][A-Za-z0-9_.\\-]*",
	  .missing = "give a Unix group", .doc = "A Unix group." },
	{ .name = "look", .kind = OW_FIELD_BOOL, .offset = ACCESS(look),
	  .initial = "Y",
	  .doc = "Y: its members may use the listings that ndrxd makes." },
	{ .name = "clients", .kind = OW_FIELD_BOOL,
	  .offset = ACCESS(clients), .initial = "N",
	  .doc = "Y: programs of its members may call services." },
	{ .name = "admin", .kind = OW_FIELD_BOOL, .offset = ACCESS(admin),
	  .initial = "N",
	  .doc = "Y: its members may command, as the domain's user may." },
};
const struct ow_field_table ow_config_access_table = {
	.fields = access_fields, .n = COUNT(access_fields),
	.rule = "accessattrs",
};

static const struct ow_field security_fields[] = {
	{ .name = "auth", .kind = OW_FIELD_TEXT, .offset = SECURITY(auth),
	  .words = "NONE SYS APP", .initial = "NONE",
	  .doc = "SYS: callers give tpinit() a name and password of the file "
		 "`passwords`. APP: the service `authsvc` lets them in, after "
		 "the file if there is one; without a service the file "
		 "does." },
	{ .name = "passwords", .kind = OW_FIELD_TEXT,
	  .offset = SECURITY(passwords), .hi = 512,
	  .doc = "Full path of the file that xadmin passwd writes." },
	{ .name = "authsvc", .kind = OW_FIELD_TEXT,
	  .offset = SECURITY(authsvc), .hi = SERVICE_LEN,
	  .doc = "Name of the service that lets users in." },
};
const struct ow_field_table ow_config_security_table = {
	.fields = security_fields, .n = COUNT(security_fields),
	.rule = "securityattrs",
};

static const struct ow_field cluster_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .offset = CLUSTER(name),
	  .hi = 32, .pattern = "[A-Za-z0-9_\\-]*",
	  .missing = "give letters, digits, \"-\" and \"_\"",
	  .doc = "Bridges of one name find each other." },
	{ .name = "urls", .kind = OW_FIELD_TEXT, .offset = CLUSTER(urls),
	  .hi = 2000,
	  .doc = "Of nats-servers, separated by commas. Default: "
		 "nats://127.0.0.1:4222." },
	{ .name = "node", .kind = OW_FIELD_TEXT, .offset = CLUSTER(node),
	  .hi = 3, .pattern = "[0-9]*",
	  .doc = "Number of this node, from 1 to 255. Default: "
		 "NDRX_NODEID." },
	{ .name = "user", .kind = OW_FIELD_TEXT, .offset = CLUSTER(user),
	  .hi = 255, .doc = "User of nats-server." },
	{ .name = "password_file", .kind = OW_FIELD_TEXT,
	  .offset = CLUSTER(password_file), .hi = PATH_LEN,
	  .doc = "File with its password in the first line." },
	{ .name = "credentials", .kind = OW_FIELD_TEXT,
	  .offset = CLUSTER(credentials), .hi = PATH_LEN,
	  .doc = "File with JWT and NKEY seed." },
	{ .name = "ca", .kind = OW_FIELD_TEXT, .offset = CLUSTER(ca),
	  .hi = PATH_LEN,
	  .doc = "TLS: file of the authorities that sign nats-servers." },
	{ .name = "certificate", .kind = OW_FIELD_TEXT,
	  .offset = CLUSTER(certificate), .hi = PATH_LEN,
	  .doc = "TLS: file with the certificate of this node." },
	{ .name = "key", .kind = OW_FIELD_TEXT, .offset = CLUSTER(key),
	  .hi = PATH_LEN, .doc = "TLS: file with its key." },
	{ .name = "importsvcs", .kind = OW_FIELD_TEXT,
	  .offset = CLUSTER(importsvcs), .hi = 4000,
	  .doc = "What nodes may offer here: NODE:SERVICE,SERVICE; and so on; "
		 "*: all other nodes. Default: everything." },
};
const struct ow_field_table ow_config_cluster_table = {
	.fields = cluster_fields, .n = COUNT(cluster_fields),
	.rule = "clusterattrs",
};

#define ACL_DOC \
	"user:NAME group:NAME (of Unix), login:NAME (of tpinit()), " \
	"node:NUMBER or node:NUMBER/NAME (of a cluster), any; " \
	"none: servers only. Default: any."

static const struct ow_field event_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = EVENT(name), .hi = 255,
	  .missing = "give an expression for names of events",
	  .doc = "A regular expression, as of tpsubscribe()." },
	{ .name = "post", .kind = OW_FIELD_TEXT, .offset = EVENT(post),
	  .hi = 900, .doc = "Who may post it: " ACL_DOC },
	{ .name = "subscribe", .kind = OW_FIELD_TEXT,
	  .offset = EVENT(subscribe), .hi = 900,
	  .doc = "Who gets it: " ACL_DOC },
};
const struct ow_field_table ow_config_event_table = {
	.fields = event_fields, .n = COUNT(event_fields),
	.rule = "eventattrs",
};

static const struct ow_field service_fields[] = {
	{ .name = "svcnm", .kind = OW_FIELD_TEXT,
	  .flags = OW_FIELD_NO_DEFAULT, .offset = SERVICE(name),
	  .hi = SERVICE_LEN, .missing = "give a name",
	  .doc = "Name of the service." },
	{ .name = "prio", .kind = OW_FIELD_INT, .offset = SERVICE(prio),
	  .lo = 1, .hi = 100, .initial = TEXT(OW_CONFIG_PRIO),
	  .doc = "Priority of its calls." },
	{ .name = "svctimeout", .kind = OW_FIELD_SECONDS,
	  .offset = SERVICE(svctimeout_ms), .initial = "0",
	  .doc = "Seconds: as of the servers; 0: theirs." },
	{ .name = "queuehigh", .kind = OW_FIELD_INT,
	  .offset = SERVICE(queuehigh), .lo = 0, .hi = 1000000,
	  .initial = "0",
	  .doc = "So many waiting requests are an event; 0: none." },
	{ .name = "queuelow", .kind = OW_FIELD_INT,
	  .offset = SERVICE(queuelow), .lo = 0, .hi = 1000000,
	  .initial = "0",
	  .doc = "So few are one again; 0: half of queuehigh." },
	{ .name = "acl", .kind = OW_FIELD_TEXT, .offset = SERVICE(acl),
	  .hi = 900, .doc = "Who may call it: " ACL_DOC },
	{ .name = "routing", .kind = OW_FIELD_TEXT,
	  .offset = SERVICE(routing), .hi = ROUTE_LEN,
	  .doc = "The <route> by which data choose a group." },
	{ .name = "cache", .kind = OW_FIELD_TEXT, .offset = SERVICE(cache),
	  .hi = 400,
	  .doc = "Replies are kept and given again: ttl=TIME "
		 "[key=FIELD+FIELD...] [drop=EVENT]; none: not." },
	{ .name = "durable", .kind = OW_FIELD_BOOL,
	  .offset = SERVICE(durable), .initial = "N",
	  .doc = "Y: one-way calls (TPNOREPLY) are stored by a tmqueue, and "
		 "made from there." },
	{ .name = "autotran", .kind = OW_FIELD_BOOL,
	  .offset = SERVICE(autotran), .initial = "N",
	  .doc = "Y: begins a transaction unless it is called in one." },
	{ .name = "trantime", .kind = OW_FIELD_SECONDS,
	  .offset = SERVICE(trantime_ms), .initial = "30",
	  .doc = "Seconds: time-out of that transaction." },
	{ .name = "restart", .kind = OW_FIELD_TEXT,
	  .offset = SERVICE(restart), .words = "keep refuse",
	  .doc = "What waits while its last server is started again: keep it, "
		 "or refuse it at once. keep, if not given." },
};
const struct ow_field_table ow_config_service_table = {
	.fields = service_fields, .n = COUNT(service_fields),
	.rule = "serviceattrs",
};

static const struct ow_field route_attrs[] = {
	{ .name = "routing", .kind = OW_FIELD_TEXT, .offset = ROUTE(name),
	  .hi = ROUTE_LEN, .missing = "give a name" },
};
const struct ow_field_table ow_config_route_attrs = {
	.fields = route_attrs, .n = COUNT(route_attrs),
	.rule = "routeattrs",
};

/* A value of a range: a number, a text in quotes or without. */
#define VALUE "(-?[0-9][0-9.eE+]*|[^'\\s,:*-]+|'([^'\\\\]|\\\\.)*')"
/* FROM-TO:GROUP, VALUE:GROUP or *:GROUP */
#define RANGE "(\\*|" VALUE "( ?- ?" VALUE ")?) ?: ?[^\\s,:']+"

static const struct ow_field route_fields[] = {
	{ .name = "field", .kind = OW_FIELD_TEXT, .offset = ROUTE(field),
	  .hi = 63,
	  .pattern = "[A-Za-z_][A-Za-z0-9_.]*",
	  .doc = "The UBF field, or member of a VIEW, whose value decides." },
	{ .name = "ranges", .kind = OW_FIELD_TEXT, .offset = ROUTE(ranges),
	  .pattern = RANGE "( ?, ?" RANGE ")*",
	  .doc = "MIN-9:A,10-'x y':B,*:* - from-to:group; the first range "
		 "that holds the value." },
	{ .name = "buftype", .kind = OW_FIELD_TEXT, .offset = ROUTE(buftype),
	  .words = "UBF VIEW", .doc = "Of the requests. UBF, if not given." },
	{ .name = "fieldtype", .kind = OW_FIELD_TEXT,
	  .offset = ROUTE(fieldtype),
	  .words = "SHORT CHAR LONG FLOAT DOUBLE STRING" },
};
const struct ow_field_table ow_config_route_table = {
	.fields = route_fields, .n = COUNT(route_fields),
	.rule = "routesettings",
};
