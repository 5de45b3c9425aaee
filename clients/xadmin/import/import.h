/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - an import in progress, shared by the files of this folder
 *
 * import.c is the command and writes files; machines.c imports machines, the cluster
 * of several and security, groups.c groups, managers.c their resource managers,
 * remotes.c other domains (DMCONFIG), servers.c servers, system.c those that come with Tuxedo, services.c services and
 * routing; report.c tells for each keyword what became of it.
 */
#ifndef OW_IMPORT_H
#define OW_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clients/xadmin/import/ubb.h"

struct ow_args;
struct ow_remotes;

/* The command, behind the table of commands. */
int ow_import_run(struct ow_args *a);

/* http, and http import FILE [NUMBER]. */
int ow_import_http(struct ow_args *a);

/* What an import of the file would report, to be freed. An exit code, after a
 * message. */
int ow_import_look(struct ow_args *a, const char *path, char **ret_report);

#define OW_IMPORT_GROUPS 512

enum ow_import_grade {
	OW_IMPORT_TAKEN, /* means the same here */
	OW_IMPORT_LOOK,	 /* changed: the user should check it */
	OW_IMPORT_NONE,	 /* has no counterpart */
	OW_IMPORT_GRADES,
};

struct ow_import_group {
	struct ow_ubb_entry *entry;
	int grpno; /* here: 1, 2, ... */
	bool remote; /* on another machine */
};

/* A queue space: a tmqueue, and a file with definitions of its queues. */
#define OW_IMPORT_SPACES 32
#define OW_IMPORT_SPACE_LEN 16 /* of its name, with the NUL */

struct ow_import_space {
	char name[OW_IMPORT_SPACE_LEN];
	FILE *queues;
	char *text; /* of that file */
	size_t len;
	bool served; /* it has a tmqueue */
};

/* What stands for a server that comes with Tuxedo; all NULL: nothing. */
struct ow_import_system {
	const char *program;
	const char *appopt;
};

struct ow_import {
	struct ow_ubb ubb;
	FILE *xml;    /* ndrxconfig.xml */
	FILE *env;    /* lines for setenv */
	FILE *srvids; /* lines of srvids: clients/tm/ids.h */
	FILE *report;
	unsigned int counts[OW_IMPORT_GRADES];
	char timeout[32];    /* of calls; "": not set in the file */
	char fault[OW_UBB_WHY]; /* why it cannot be imported; "": it can */
	bool chosen; /* the machine by --machine: it is to be a node */
	const char *master;  /* LMID of the first machine of MASTER; NULL */
	const char *machine; /* LMID of the imported machine; NULL: any */
	int node; /* its place in MACHINES, from 1 */
	struct ow_remotes *remotes; /* of a DMCONFIG beside it; NULL */
	bool has_events; /* a tpevsrv stands for TMUSREVT and TMSYSEVT */
	bool has_coordinator; /* a tmsrv without a resource manager */
	struct ow_import_space spaces[OW_IMPORT_SPACES];
	size_t n_spaces;
	struct ow_import_group groups[OW_IMPORT_GROUPS];
	size_t n_groups;
	uint8_t ids[65536]; /* server ids in use */
};

/* ---- import/report.c ---- */

/* "GRADE LINE SECTION NAME: ..." */
void ow_import_say(struct ow_import *im, enum ow_import_grade grade,
		   const struct ow_ubb_entry *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* It cannot be imported, because of the entry; the first reason counts. */
void ow_import_refuse(struct ow_import *im, const struct ow_ubb_entry *e,
		      const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Report every keyword that was not read, with the reason why it has no
 * counterpart. */
void ow_import_say_rest(struct ow_import *im);

/* Read all keywords of an entry that is left out as a whole, so that none is
 * reported by itself. */
void ow_import_use_up(struct ow_ubb_entry *e);

/* ---- import/xml.c ---- */

/* <name>text</name>, as a child of <server> or <route>. */
void ow_import_put_element(struct ow_import *im, const char *name,
			   const char *text);
/* The same of a text that is not of the file: ${NAME} in it is a variable. */
void ow_import_put_own(struct ow_import *im, const char *name,
		       const char *text);
/* name="text", within a tag. */
void ow_import_put_attribute(struct ow_import *im, const char *name,
			     const char *text);

/* ---- import/remotes.c ---- */

#define OW_REMOTES_ID	64000 /* of the first link, as of a bridge */
#define OW_REMOTES_MOST 64    /* domains */

/* Read a DMCONFIG: 0 with *ret, to be freed; 1 with the reason in `why`;
 * -ENOMEM. */
int ow_remotes_read(const char *text, struct ow_remotes **ret,
		    char why[OW_UBB_WHY]);
void ow_remotes_free(struct ow_remotes *r);
/* The number of this domain. */
size_t ow_remotes_node(const struct ow_remotes *r);
/* The entries of <servers>. */
void ow_remotes_put_links(const struct ow_remotes *r, FILE *xml);
/* What became of each line; `counts` has how many lines of each grade, and
 * grows. */
void ow_remotes_put_report(const struct ow_remotes *r, FILE *report,
			   unsigned int counts[OW_IMPORT_GRADES]);

/* ---- the sections ---- */

/* The first entry of a section; NULL. */
struct ow_ubb_entry *ow_import_section(const struct ow_import *im,
				       const char *section);
/* The name of the domain, from DOMAINID or IPCKEY. */
const char *ow_import_domain_name(struct ow_import *im, char *buf, size_t size);
/* RESOURCES and MACHINES: lines of setenv; sets `machine`. */
void ow_import_machines(struct ow_import *im);
/* SECURITY and AUTHSVC: <security>. */
void ow_import_security(struct ow_import *im);
/* The bridge of a node, a <server>, and <cluster>, its counterpart; or the links to
 * the domains of a DMCONFIG. */
void ow_import_bridge(struct ow_import *im);
void ow_import_cluster(struct ow_import *im);
/* GROUPS: <procgroups>. */
void ow_import_groups(struct ow_import *im);
const struct ow_import_group *ow_import_group(const struct ow_import *im,
					      const char *name);
/* TMSNAME, OPENINFO: a tmsrv for each resource manager. */
void ow_import_managers(struct ow_import *im);
/* The variables by which servers of a group find its resource manager; a group
 * without one has none. */
void ow_import_put_manager(struct ow_import *im,
			   const struct ow_import_group *g);
/* Does the group have a resource manager? */
bool ow_import_has_manager(const struct ow_import_group *g);
/* The queue space of a group (TUXEDO/QM); NULL with a reason reported. */
struct ow_import_space *ow_import_space(struct ow_import *im,
					struct ow_ubb_entry *server);
/* Is it a server that comes with Tuxedo? Then *ret says what is here for it; what
 * is not, is reported. */
bool ow_import_system(struct ow_import *im, struct ow_ubb_entry *e,
		      struct ow_import_system *ret);
/* SERVERS: <servers>. */
void ow_import_servers(struct ow_import *im);
/* Does a route name the group? Then its servers are a routing group. */
bool ow_import_is_routed(const struct ow_import *im, const char *group);
/* SERVICES and ROUTING: <services>, <routing>. */
void ow_import_services(struct ow_import *im);

#endif
