/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - make the domain that TUXCONFIG names of its configurations
 *
 * `xadmin import` makes the folder $TUXCONFIG.d of a UBBCONFIG and, if there is
 * one, a DMCONFIG. The environment that its setenv gives goes into the file
 * $TUXCONFIG, which programs of the application read where no NDRX_QPREFIX is
 * set: they need TUXCONFIG only, as with Tuxedo.
 *
 * In conf of the folder stay copies of what was loaded, ubbconfig, dmconfig and
 * machine (the LMID of -m, or nothing): who loads one of them loads the others
 * again with it.
 */
#ifndef OW_TM_LOAD_H
#define OW_TM_LOAD_H

struct load_files {
	const char *program; /* for messages */
	const char *ubb;
	const char *domains; /* NULL: none */
	const char *machine; /* NULL: that of MASTER */
};

/* Make the folder and its conf: 0, or -1 after a message. */
int load_folder(const char *program);
/* The text of a file ("-": of standard input), to be freed; NULL after a
 * message. */
char *load_read(const char *program, const char *path);
/* Write it, whole or not at all: 0, or -1 after a message. */
int load_write(const char *program, const char *path, const char *text);

/* Exit statuses: 0, or 1 after a message. */
int load_check(const struct load_files *l);
int load_make(const struct load_files *l);

#endif
