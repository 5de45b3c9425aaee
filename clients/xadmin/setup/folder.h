/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - make the folder of a domain
 *
 *	setenv			source it: . FOLDER/setenv
 *	conf/ndrxconfig.xml, conf/debug.conf
 *	NAME.env in conf	the environment of onewake@NAME.service
 *	bin/			programs: servers and clients
 *	ubftab/, views/		field tables, views
 *	log/
 */
#ifndef OW_FOLDER_H
#define OW_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "libatmi/domain/domain.h"

#define OW_FOLDER_NAME	30
#define OW_FOLDER_UNITS "/etc/onewake" /* conf/onewake@.service */

struct ow_args;

/* A folder being made; most members go to its environment script. */
struct ow_folder {
	const struct ow_args *a; /* of the command, for messages */
	char path[PATH_MAX];	 /* absolute */
	char name[OW_FOLDER_NAME + 1];
	char prefix[OW_PREFIX_MAX + 2]; /* with the leading '/' */
	char node[16];
	char timeout[32];
	const char *more; /* further lines of the script, or NULL */
	bool overwrite;
	int made; /* files and folders so far */
};

/* Make the folders that are missing. An exit code. */
int ow_folder_make(struct ow_folder *f, const char *path);

/* Write a file of the folder. An existing file is kept, with a message,
 * unless `overwrite` is set. An exit code. */
int ow_folder_write(struct ow_folder *f, const char *file, const char *text);

/* Write setenv, the environment script, and conf/debug.conf. */
int ow_folder_write_setenv(struct ow_folder *f);

/* Write NAME.env into conf, the environment of onewake@NAME.service; also where the
 * unit reads it, if that folder is there and may be written. */
int ow_folder_write_unit(struct ow_folder *f, bool *ret_in_etc);

/* A word in quotes for a shell; the caller frees it. NULL: no memory. */
char *ow_folder_quote(const char *text);
/* The same, with quotes only if it needs them: for people. */
char *ow_folder_word(const char *text);

/* Check a value: NULL, or what is wrong with it. */
const char *ow_folder_bad_name(const char *text);
const char *ow_folder_bad_prefix(const char *text);
const char *ow_folder_bad_node(const char *text);
const char *ow_folder_bad_timeout(const char *text);

#endif
