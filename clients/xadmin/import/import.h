/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - an import in progress, shared by the files of this folder
 *
 * import.c is the command and writes files; groups.c imports machines and
 * groups, servers.c servers, services.c services and routing; report.c tells
 * for each keyword what became of it.
 */
#ifndef OW_IMPORT_H
#define OW_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clients/xadmin/import/ubb.h"

struct ow_args;

/* The command, behind the table of commands. */
int ow_import_run(struct ow_args *a);

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
	bool elsewhere; /* on another machine */
};

struct ow_import {
	struct ow_ubb ubb;
	FILE *xml;    /* ndrxconfig.xml */
	FILE *env;    /* lines for setenv */
	FILE *report;
	unsigned int counts[OW_IMPORT_GRADES];
	char timeout[32];    /* of calls; "": not set in the file */
	const char *machine; /* LMID of the imported machine; NULL: any */
	struct ow_import_group groups[OW_IMPORT_GROUPS];
	size_t n_groups;
	uint8_t ids[65536]; /* server ids in use */
};

/* ---- import/report.c ---- */

/* "GRADE LINE SECTION NAME: ..." */
void ow_import_say(struct ow_import *im, enum ow_import_grade grade,
		   const struct ow_ubb_entry *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Report every keyword that was not read, with the reason why it has no
 * counterpart. */
void ow_import_say_rest(struct ow_import *im);

/* ---- import/xml.c ---- */

/* <name>text</name>, as a child of <server> or <route>. */
void ow_import_put_element(struct ow_import *im, const char *name,
			   const char *text);
/* name="text", within a tag. */
void ow_import_put_attribute(struct ow_import *im, const char *name,
			     const char *text);

/* ---- the sections ---- */

/* RESOURCES and MACHINES: lines of setenv; sets `machine`. */
void ow_import_machines(struct ow_import *im);
/* GROUPS: <procgroups>. */
void ow_import_groups(struct ow_import *im);
const struct ow_import_group *ow_import_group(const struct ow_import *im,
					      const char *name);
/* SERVERS: <servers>. */
void ow_import_servers(struct ow_import *im);
/* Does a route name the group? Then its servers are a routing group. */
bool ow_import_is_routed(const struct ow_import *im, const char *group);
/* SERVICES and ROUTING: <services>, <routing>. */
void ow_import_services(struct ow_import *im);

#endif
