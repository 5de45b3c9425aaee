/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - the folder of a domain: what is in it, and how it is made
 *
 *	setenv			source it: . FOLDER/setenv
 *	conf/ndrxconfig.xml
 *	bin/			programs: servers and clients
 *	ubftab/, views/		field tables, views
 *	log/
 */
#ifndef OW_FOLDER_H
#define OW_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "libatmi/domain/domain.h"

#define OW_FOLDER_NAME 30

struct ow_args;

/* What its environment script says. */
struct ow_folder {
	const struct ow_args *a; /* whose command it is, for messages */
	char path[PATH_MAX];	 /* absolute */
	char name[OW_FOLDER_NAME + 1];
	char prefix[OW_PREFIX_MAX + 2]; /* with the leading '/' */
	char node[16];
	char timeout[32];
	const char *more; /* further lines of the script, or NULL */
	bool overwrite;
	int made; /* files and folders */
};

/* The folders, made where they are missing: an exit code. */
int ow_folder_make(struct ow_folder *f, const char *path);

/* One file below it; kept (and said so) when it is there, unless it may be
 * overwritten. An exit code. */
int ow_folder_write(struct ow_folder *f, const char *file, const char *text);

/* The script setenv. */
int ow_folder_write_setenv(struct ow_folder *f);

/* Is the value one to work with? NULL, or what is wrong with it. */
const char *ow_folder_bad_name(const char *text);
const char *ow_folder_bad_prefix(const char *text);
const char *ow_folder_bad_node(const char *text);
const char *ow_folder_bad_timeout(const char *text);

#endif
