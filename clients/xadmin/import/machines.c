/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machines.c - import the machine of a UBBCONFIG that is to be the domain
 *
 * A domain is one machine: that of --machine, or else the first one of MASTER, or
 * the first entry of MACHINES. With --machine it is a node of a cluster, numbered
 * as MACHINES has them, whose bridge finds the others by a nats-server on the host
 * of MASTER.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/setup/folder.h"
#include "clients/xadmin/import/import.h"
#include "libubf/base/cleanup.h"

#define SCANUNIT  10 /* seconds, when RESOURCES does not say */
#define BLOCKTIME 6
#define BRIDGE_ID 64000
#define HOST_LEN  256

struct ow_ubb_entry *ow_import_section(const struct ow_import *im,
				       const char *section)
{
	struct ow_ubb_entry *e = im->ubb.entries;

	while (e != NULL && strcmp(e->section, section) != 0)
		e = e->next;
	return e;
}

static long number(struct ow_ubb_entry *e, const char *key, long otherwise)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL && atol(value) > 0 ? atol(value) : otherwise;
}

/* ---- RESOURCES ---- */

static void take_resources(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *master = ow_ubb_value(e, "MASTER");
	const char *name = ow_ubb_value(e, "DOMAINID");
	long unit = number(e, "SCANUNIT", SCANUNIT);
	long seconds = unit * number(e, "BLOCKTIME", BLOCKTIME);
	long scan = number(e, "SANITYSCAN", 0);

	snprintf(im->timeout, sizeof(im->timeout), "%ld", seconds);
	ow_import_say(im, OW_IMPORT_TAKEN, e, "BLOCKTIME * SCANUNIT: calls "
		      "time out after %ld s (NDRX_TOUT)", seconds);
	if (scan > 0)
		ow_import_say(im, OW_IMPORT_LOOK, e, "SANITYSCAN=%ld: process "
			      "ids are checked every 2 s (<checkpm>); the end "
			      "of a process is noticed at once anyway", scan);
	if (name != NULL)
		ow_import_say(im, OW_IMPORT_TAKEN, e, "DOMAINID=%s", name);
	if (master == NULL)
		return;
	im->master = ow_arena_strndup(&im->ubb.arena, master,
				       strcspn(master, ", \t"));
	if (im->machine == NULL)
		im->machine = im->master;
	ow_import_say(im, OW_IMPORT_TAKEN, e, "MASTER=%s: the machine that is "
		      "imported, if --machine names no other", master);
}

/* ---- MACHINES ---- */

/* Write a line with a path to setenv. */
static void put_path(struct ow_import *im, const struct ow_ubb_entry *e,
		     const char *key, const char *format, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *word = ow_folder_quote(path);

	if (word == NULL)
		return;
	fprintf(im->env, format, word);
	ow_import_say(im, OW_IMPORT_TAKEN, e, "%s=%s: in setenv", key, path);
}

/* Shell functions of setenv. An environment file has lines NAME=VALUE; ${NAME}
 * in a value is replaced, and nothing in the file is run. */
static const char read_envfile[] =
	"ow_envfile() {\n"
	"\twhile IFS= read -r ow_line || [ -n \"$ow_line\" ]; do\n"
	"\t\tcase ${ow_line%%=*} in\n"
	"\t\t\"$ow_line\" | '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;\n"
	"\t\tesac\n"
	"\t\tow_rest=${ow_line#*=} ow_value=\n"
	"\t\twhile :; do\n"
	"\t\t\tcase $ow_rest in *'${'*'}'*) ;; *) break ;; esac\n"
	"\t\t\tow_value=$ow_value${ow_rest%%'${'*}\n"
	"\t\t\tow_rest=${ow_rest#*'${'}\n"
	"\t\t\tow_name=${ow_rest%%'}'*} ow_rest=${ow_rest#*'}'}\n"
	"\t\t\tcase $ow_name in\n"
	"\t\t\t'' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;\n"
	"\t\t\tesac\n"
	"\t\t\teval \"ow_value=\\$ow_value\\${$ow_name-}\"\n"
	"\t\tdone\n"
	"\t\texport \"${ow_line%%=*}=$ow_value$ow_rest\"\n"
	"\tdone <\"$1\"\n"
	"\tunset ow_line ow_rest ow_value ow_name\n"
	"}\n";

static void put_envfile(struct ow_import *im, const struct ow_ubb_entry *e,
			const char *path)
{
	fputs("# from ENVFILE\n", im->env);
	fputs(read_envfile, im->env);
	put_path(im, e, "ENVFILE", "ow_envfile %s\n", path);
}

static void take_machine(struct ow_import *im, struct ow_ubb_entry *e,
			 int place)
{
	const char *lmid = ow_ubb_value(e, "LMID");
	const char *app = ow_ubb_value(e, "APPDIR");
	const char *env = ow_ubb_value(e, "ENVFILE");
	const char *log = ow_ubb_value(e, "ULOGPFX");
	char *slash, *dir;

	if (im->machine == NULL)
		im->machine = lmid;
	if (lmid == NULL || strcmp(lmid, im->machine) != 0) {
		ow_import_say(im, OW_IMPORT_NONE, e, "another machine (LMID "
			      "%s): its groups and servers are left out; "
			      "--machine there makes it a node of a cluster",
			      lmid != NULL ? lmid : "is missing");
		return;
	}
	im->node = place;
	put_path(im, e, "LMID", "# from LMID\nexport NDRX_LMID=%s\n", lmid);
	if (app != NULL)
		put_path(im, e, "APPDIR", "# from APPDIR\n"
			 "export PATH=%s:\"$PATH\"\n", app);
	if (env != NULL)
		put_envfile(im, e, env);
	dir = log != NULL ? ow_arena_strdup(&im->ubb.arena, log) : NULL;
	slash = dir != NULL ? strrchr(dir, '/') : NULL;
	if (slash != NULL && slash != dir) {
		*slash = '\0';
		put_path(im, e, "ULOGPFX", "# from ULOGPFX\n"
			 "export NDRX_ULOG=%s\n", dir);
	}
}

/* Is there a machine of that LMID? */
static bool is_machine(const struct ow_import *im, const char *lmid)
{
	struct ow_ubb_entry *e;
	const char *value;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		value = strcmp(e->section, "MACHINES") == 0
			    ? ow_ubb_value(e, "LMID") : NULL;
		if (value != NULL && strcmp(value, lmid) == 0)
			return true;
	}
	return false;
}

void ow_import_machines(struct ow_import *im)
{
	struct ow_ubb_entry *e = ow_import_section(im, "RESOURCES");
	struct ow_ubb_entry *resources = e;
	int place = 0;

	if (e != NULL)
		take_resources(im, e);
	if (im->master != NULL && !is_machine(im, im->master))
		ow_import_refuse(im, resources, "MASTER=%s: MACHINES has no entry "
				 "with LMID=%s", im->master, im->master);
	if (im->machine != NULL && !is_machine(im, im->machine))
		ow_import_refuse(im, im->ubb.entries, "--machine=%s: MACHINES has "
				 "no entry with LMID=%s", im->machine,
				 im->machine);
	if (im->chosen && im->remotes != NULL)
		ow_import_refuse(im, im->ubb.entries, "--machine and a DMCONFIG "
				 "both number this node: let all domains be one "
				 "cluster");
	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "MACHINES") == 0)
			take_machine(im, e, ++place);
}

/* ---- the cluster ---- */

const char *ow_import_domain_name(struct ow_import *im, char *buf, size_t size)
{
	struct ow_ubb_entry *e = ow_import_section(im, "RESOURCES");
	const char *name = e != NULL ? ow_ubb_value(e, "DOMAINID") : NULL;
	const char *key = e != NULL ? ow_ubb_value(e, "IPCKEY") : NULL;

	/* Applications without a name differ by their IPCKEY. */
	snprintf(buf, size, "tux%.20s", key != NULL ? key : "");
	if (name != NULL && ow_folder_bad_name(name) == NULL)
		snprintf(buf, size, "%s", name);
	else if (ow_folder_bad_name(buf) != NULL)
		snprintf(buf, size, "tuxedo");
	return buf;
}

/* The host of the first machine of MASTER: of its NADDR, //HOST:PORT, or the
 * name of its entry. */
static void find_host(const struct ow_import *im, char host[HOST_LEN])
{
	const char *master = im->master != NULL ? im->master : im->machine;
	const char *value, *from;
	struct ow_ubb_entry *e;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		value = NULL;
		if (strcmp(e->section, "MACHINES") == 0)
			value = ow_ubb_value(e, "LMID");
		if (value != NULL && strcmp(value, master) == 0)
			snprintf(host, HOST_LEN, "%s", e->name);
	}
	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (strcmp(e->section, "NETWORK") != 0 ||
		    strcmp(e->name, master) != 0)
			continue;
		value = ow_ubb_value(e, "NADDR");
		from = value != NULL && strncmp(value, "//", 2) == 0 ? value + 2
								     : NULL;
		if (from != NULL && strcspn(from, ":") > 0)
			snprintf(host, HOST_LEN, "%.*s", (int)strcspn(from, ":"),
				 from);
	}
}

void ow_import_bridge(struct ow_import *im)
{
	if (im->remotes != NULL)
		ow_remotes_put_links(im->remotes, im->xml);
	if (im->chosen)
		fprintf(im->xml, "\t\t<server name=\"ndrxbridge\">\n"
				 "\t\t\t<srvid>%d</srvid>\n\t\t\t<min>1</min>\n"
				 "\t\t\t<max>1</max>\n\t\t</server>\n", BRIDGE_ID);
}

void ow_import_cluster(struct ow_import *im)
{
	struct ow_ubb_entry *e = ow_import_section(im, "MACHINES");
	char name[64], host[HOST_LEN] = "127.0.0.1", text[HOST_LEN + 32];

	if (!im->chosen || e == NULL)
		return;
	find_host(im, host);
	fputs("\t<cluster", im->xml);
	ow_import_put_attribute(im, "name",
				ow_import_domain_name(im, name, sizeof(name)));
	snprintf(text, sizeof(text), "nats://%s:4222", host);
	ow_import_put_attribute(im, "urls", text);
	fprintf(im->xml, " node=\"%d\"/>\n", im->node);
	ow_import_say(im, OW_IMPORT_LOOK, e, "node %d of cluster %s: a "
		      "nats-server must run at %s, `xadmin provision "
		      "--cluster` writes its configuration", im->node, name,
		      host);
}

/* ---- security ---- */

/* Does SERVERS have a server of that name? */
static bool is_served_by(const struct ow_import *im, const char *name)
{
	const struct ow_ubb_entry *e;

	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "SERVERS") == 0 &&
		    strcmp(e->name, name) == 0)
			return true;
	return false;
}

void ow_import_security(struct ow_import *im)
{
	struct ow_ubb_entry *e = ow_import_section(im, "RESOURCES");
	const char *word = e != NULL ? ow_ubb_value(e, "SECURITY") : NULL;
	const char *svc = e != NULL ? ow_ubb_value(e, "AUTHSVC") : NULL;
	bool own;

	if (word == NULL || strcmp(word, "NONE") == 0) {
		if (word != NULL)
			ow_import_say(im, OW_IMPORT_TAKEN, e, "SECURITY=NONE");
		if (svc != NULL)
			ow_import_say(im, OW_IMPORT_NONE, e, "AUTHSVC=%s: means "
				      "nothing without SECURITY", svc);
		return;
	}
	/* A server of the application decides, not that of Tuxedo. */
	own = svc != NULL && strcmp(word, "APP_PW") != 0 &&
	      !is_served_by(im, "AUTHSVR");
	/* Programs ask tpchkauth() what they have to give. */
	fprintf(im->xml, "\t<security auth=\"%s\"",
		strcmp(word, "APP_PW") != 0 ? "APP" : "SYS");
	if (own)
		ow_import_put_attribute(im, "authsvc",
					*svc == '.' ? svc + 2 : svc);
	else
		fputs(" passwords=\"${NDRX_APPHOME}/conf/passwords\"", im->xml);
	fputs("/>\n", im->xml);
	if (own)
		ow_import_say(im, OW_IMPORT_TAKEN, e, "SECURITY=%s, AUTHSVC=%s: "
			      "<security>, the service decides", word, svc);
	else
		ow_import_say(im, OW_IMPORT_LOOK, e, "SECURITY=%s%s%s: "
			      "<security>, each caller has a name and a "
			      "password: make them with `xadmin passwd NAME`",
			      word, svc != NULL ? ", AUTHSVC=" : "",
			      svc != NULL ? svc : "");
	if (strstr(word, "ACL") != NULL)
		ow_import_say(im, OW_IMPORT_LOOK, e, "SECURITY=%s: who may call "
			      "what stands in `acl` of each <service>", word);
}
