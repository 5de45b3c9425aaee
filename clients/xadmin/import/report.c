/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - report what became of each keyword of a UBBCONFIG or DMCONFIG
 */
#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>

#include "clients/xadmin/import/import.h"

static const char *const grade_words[OW_IMPORT_GRADES] = {
	[OW_IMPORT_TAKEN] = "taken",
	[OW_IMPORT_LOOK] = "look",
	[OW_IMPORT_NONE] = "none",
};

void ow_import_say(struct ow_import *im, enum ow_import_grade grade,
		   const struct ow_ubb_entry *e, const char *fmt, ...)
{
	va_list ap;

	im->counts[grade]++;
	fprintf(im->report, "%-5s %5u  %s%s%s: ", grade_words[grade], e->line,
		e->section, *e->name != '\0' ? " " : "",
		strcmp(e->name, "DEFAULT:") == 0 ? "DEFAULT" : e->name);
	va_start(ap, fmt);
	vfprintf(im->report, fmt, ap);
	va_end(ap);
	putc('\n', im->report);
}

void ow_import_refuse(struct ow_import *im, const struct ow_ubb_entry *e,
		      const char *fmt, ...)
{
	size_t n;
	va_list ap;

	if (im->fault[0] != '\0')
		return;
	n = (size_t)snprintf(im->fault, sizeof(im->fault), "%u: ", e->line);
	va_start(ap, fmt);
	vsnprintf(im->fault + n, sizeof(im->fault) - n, fmt, ap);
	va_end(ap);
}

/* Why a keyword has no counterpart; the first one counts. Both are patterns; key
 * NULL: any. */
static const struct reason {
	const char *section;
	const char *key;
	const char *why;
} reasons[] = {
	{ "RESOURCES", "IPCKEY", "not needed: names begin with NDRX_QPREFIX" },
	{ "RESOURCES", "MAX*", "not needed: tables have room" },
	{ "RESOURCES", "LDBAL", "not needed: servers of a service share its "
				"queue" },
	{ "RESOURCES", "MODEL", "not needed: a domain is one machine" },
	{ "RESOURCES", "OPTIONS", "a domain is one machine" },
	{ "*", "UID", "the user who starts the domain" },
	{ "*", "GID", "the group of the user who starts the domain" },
	{ "*", "PERM", "queues and memory are for their owner" },
	{ "RESOURCES", "NOTIFY", "tpinit() says it" },
	{ "*", "SYSTEM_ACCESS", "not needed" },
	{ "RESOURCES", "CMTRET", "tpscmt() says it" },
	{ "RESOURCES", "USIGNAL", "not needed" },
	{ "RESOURCES", "DBBLWAIT", "there is no bulletin board liaison" },
	{ "RESOURCES", "BBLQUERY", "there is no bulletin board liaison" },
	{ "RESOURCES", "COMPONENTS", "not needed" },
	{ "RESOURCES", "LIC*", "not needed" },
	{ "RESOURCES", "RMOPTIONS", "a group has one resource manager" },
	{ "RESOURCES", "SICACHEENTRIESMAX", "not needed" },
	{ "RESOURCES", "SSL*", "TLS of <cluster>: certificate, key, ca" },
	{ "*", "SPIN*", "not needed: nobody spins for a lock" },
	{ "*", "SEC_PRINCIPAL_*", "buffers carry no signatures and are not "
				  "encrypted for one receiver" },
	{ "*", "SIGNATURE_*", "buffers carry no signatures" },
	{ "*", "ENCRYPTION_REQUIRED", "buffers carry no encryption; TLS protects "
				      "what goes between nodes" },
	{ "MACHINES", "*ENCRYPTBITS", "TLS of <cluster>: certificate, key, ca" },
	{ "MACHINES", "TUXDIR", "not needed: the installation is found by PATH" },
	{ "MACHINES", "TUXCONFIG", "not needed: the configuration is "
				   "one text file, NDRX_CONFIG" },
	{ "MACHINES", "TLOG*", "tmsrv has its log: `man tmsrv`" },
	{ "MACHINES", "MAXWSCLIENTS", "there are no workstation clients" },
	{ "MACHINES", "TYPE", "not needed" },
	{ "MACHINES", "RDLMFILE", "one machine at a time has a lock by "
				  "<procgroup singleton>" },
	{ "MACHINES", "MAXPENDINGBYTES", "nodes are connected by ndrxbridge" },
	{ "MACHINES", "MAX*", "not needed: tables have room" },
	{ "MACHINES", "SICACHEENTRIESMAX", "not needed" },
	{ "MACHINES", "BRIDGE", "nodes are connected by ndrxbridge" },
	{ "MACHINES", "NETLOAD", "nodes are connected by ndrxbridge" },
	{ "MACHINES", "CMPLIMIT", "nodes are connected by ndrxbridge" },
	{ "GROUPS", "CLOSEINFO", "its group has no OPENINFO" },
	{ "GROUPS", "TMSCOUNT", "means nothing without TMSNAME" },
	{ "SERVERS", "REPLYQ", "not needed: a server has a mailbox when it calls" },
	{ "SERVERS", "R?PERM", "queues are for their owner" },
	{ "SERVERS", "GRACE", "<restart_tries> counts failures in a row, in "
			      "no period" },
	{ "SERVERS", "MAXGEN", "means nothing without RESTART=Y" },
	{ "SERVERS", "RCMD", "no command is run at a restart" },
	{ "SERVERS", "SRVTYPE", "not needed" },
	{ "SERVERS", "BUFTYPECONV", "-x of <sysopt> converts, JSON and UBF" },
	{ "SERVERS", "CONCURR_STRATEGY", "there is no CORBA here" },
	{ "SERVICES", "LOAD", "not needed: servers of a service share its "
			      "queue" },
	{ "SERVICES", "BUFTYPE", "every server takes every type" },
	{ "SERVICES", "BLOCKTIME", "time-outs are the callers': NDRX_TOUT" },
	{ "SERVICES", "SESSIONROLE", "not needed" },
	{ "SERVICES", "CACHINGTTL", "cache=\"ttl=...\" of <service>, with the "
				    "fields that are the key" },
	{ "RMS", NULL, "a group has one resource manager: make a group for "
		       "each" },
	{ "NETWORK", NULL, "nodes are connected by ndrxbridge" },
	{ "NETGROUPS", NULL, "nodes are connected by ndrxbridge" },
	{ "DM_RESOURCES", NULL, "not needed" },
	{ "DM_LOCAL*", "SECURITY", "NDRX_CLUSTER_PASSWORD_FILE of the link: `man "
				   "ndrxbridge`" },
	{ "DM_LOCAL*", "CONNECTION_POLICY", "links connect at the start, and "
					    "again for ever" },
	{ "DM_LOCAL*", "MAXRETRY", "links connect again for ever" },
	{ "DM_LOCAL*", "RETRY_INTERVAL", "links connect again ten times a second" },
	{ "DM_LOCAL*", "BLOCKTIME", "time-outs are the callers': NDRX_TOUT" },
	{ "DM_LOCAL*", "AUDITLOG", "`xadmin calls` and spans show requests of "
				   "other nodes" },
	{ "DM_LOCAL*", "DMTLOG*", "tmsrv has its log: `man tmsrv`" },
	{ "DM_LOCAL*", "MAX*", "not needed: tables have room" },
	{ "DM_LOCAL*", "BLOB_SHM_SIZE", "not needed" },
	{ "DM_LOCAL*", "GWGRP", "not needed: a link is a tpbridge" },
	{ "DM_*", "TYPE", "not needed: links are by TCP, between domains of "
			  "Onewake" },
	{ "DM_REMOTE*", "*POLICY", "acl of <service> names callers of nodes: "
				   "node:NUMBER/NAME" },
	{ "DM_REMOTE*", "*PRINCIPAL*", "acl of <service> names callers of nodes: "
				       "node:NUMBER/NAME" },
	{ "DM_TDOMAIN", "NWADDR", "a link has one address, that of who listens" },
	{ "DM_TDOMAIN", "*CRYPTBITS", "NDRX_CLUSTER_CERTIFICATE of the link: `man "
				      "ndrxbridge`" },
	{ "DM_TDOMAIN", "CMPLIMIT", "nothing is compressed" },
	{ "DM_TDOMAIN", "*KEEPALIVE*", "there is a heartbeat each second" },
	{ "DM_TDOMAIN", "NWDEVICE", "not needed" },
	{ "DM_TDOMAIN", "FAILOVERSEQ", "a link has one address" },
	{ "DM_*", "ACL", "lists of callers: acl of <service>" },
	{ "DM_*", "*BUFTYPE", "every server takes every type" },
	{ "DM_*", "LACCESSPOINT", "a domain has one name here" },
	{ "DM_*", "LDOM", "a domain has one name here" },
	{ "DM_*", "ROUTING", "the node that offers the service routes: its "
			     "<routing>" },
	{ "DM_ROUTING", NULL, "the node that offers the service routes: its "
			      "<routing>" },
	{ "DM_*", "CONV", "every service may be connected to" },
	{ "DM_*", "LOAD", "not needed: nodes share calls" },
	{ "DM_*", "BLOCKTIME", "time-outs are the callers': NDRX_TOUT" },
	{ "DM_*", "TRANTIME", "time-outs are those of tpbegin()" },
	{ "DM_*", "AUTOTRAN", "autotran of <service>, at the node that offers it" },
	{ "DM_*", "CODEPAGE", "texts are not changed" },
	{ "DM_ACCESS_CONTROL", NULL, "lists of callers: acl of <service>" },
	{ "DM_PASSWORDS", NULL, "NDRX_CLUSTER_PASSWORD_FILE: `man ndrxbridge`" },
	{ "INTERFACES", NULL, "there is no CORBA here" },
};

/* Does an entry of the section give the keyword itself, and it was taken? Asked
 * of defaults, before the entries that follow them are reported. */
static bool is_given(const struct ow_import *im, const char *section,
		     const char *key)
{
	const struct ow_ubb_entry *e;
	const struct ow_ubb_param *p;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (strcmp(e->section, section) != 0)
			continue;
		for (p = e->params; p != NULL; p = p->next)
			if (p->used && strcmp(p->key, key) == 0)
				return true;
	}
	return false;
}

/* Is there an earlier one in the same entry? */
static bool is_twice(const struct ow_ubb_entry *e, const struct ow_ubb_param *of)
{
	const struct ow_ubb_param *p;

	for (p = e->params; p != NULL && p != of; p = p->next)
		if (strcmp(p->key, of->key) == 0)
			return true;
	return false;
}

static const char *reason_of(const struct ow_import *im,
			     const struct ow_ubb_entry *e, const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (fnmatch(reasons[i].section, e->section, 0) == 0 &&
		    (reasons[i].key == NULL ||
		     fnmatch(reasons[i].key, key, 0) == 0))
			return reasons[i].why;
	return strcmp(e->name, "DEFAULT:") == 0 && is_given(im, e->section, key)
		   ? "every entry that it could be for has its own"
		   : "not known here";
}

static void say_unused(struct ow_import *im, const struct ow_ubb_entry *e)
{
	struct ow_ubb_param *p;

	for (p = e->params; p != NULL; p = p->next) {
		struct ow_ubb_entry at = *e;

		if (p->used)
			continue;
		p->used = true; /* entries share their defaults */
		at.line = p->line;
		/* OPENINFO holds passwords; a report gets passed around. */
		ow_import_say(im, OW_IMPORT_NONE, &at, "%s=%s: %s", p->key,
			      strstr(p->key, "INFO") == NULL ? p->value
							     : "...",
			      is_twice(e, p) ? "is there twice, the first "
					       "one counts"
					     : reason_of(im, e, p->key));
	}
}

void ow_import_use_up(struct ow_ubb_entry *e)
{
	struct ow_ubb_param *p;

	for (p = e->params; p != NULL; p = p->next)
		p->used = true;
}

void ow_import_say_rest(struct ow_import *im)
{
	const struct ow_ubb_entry *e;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (e->defaults != NULL)
			say_unused(im, e->defaults);
		say_unused(im, e);
	}
}
