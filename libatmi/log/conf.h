/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.h - the debug log's configuration, read from text
 *
 * Sources, later ones win: the `*` line of the file NDRX_DEBUG_CONF, lines of
 * it whose pattern matches, the line of this program in it, the section
 * [@debug] of the ini configuration (libubf/base/cconfig.h) with keys as such
 * lines have names, NDRX_DEBUG_STR. A line is
 *	program key=value ...
 * with these keys:
 *	ndrx ubf tp	levels, 0 to 9; where there is a line, tp is 5 unless
 *			it is given
 *	file, mkdir	path; y: make its missing folders
 *	iflags		text for tploggetiflags()
 *	format		text or json
 *	threaded	y: every thread but the main one writes a file of its
 *			own, NAME.<n>[.ext]; n, l: all threads write one file
 *	trace		y: a line for each call and each service
 *	match, rebins	an extended regular expression: the line is also for
 *			programs whose whole name matches
 *	bufsz, lines	accepted without effect: every line is written at once
 *			and whole
 * Unknown keys are ignored. A value that cannot be read is skipped and noted
 * in `problem`, to be logged later.
 */
#ifndef OW_LOG_CONF_H
#define OW_LOG_CONF_H

#include <stdbool.h>

#include "libatmi/log/facility.h"

#define OW_LOG_PATH 1024

struct ow_log_conf {
	int level[OW_LOG_FACS];
	char file[OW_LOG_PATH]; /* "": standard error */
	char module[5];	      /* "": the facility's own */
	char iflags[32];
	bool mkdir;	   /* make the file's folders */
	bool json;	   /* lines are JSON objects */
	bool per_thread;   /* threads have files of their own */
	bool trace;	   /* each call and each service is a line */
	bool lined;	   /* a line was applied */
	bool tp_given;	   /* a level of tp was */
	char problem[256]; /* the first value refused; "": none */
};

/* The default: level 2 of each facility, to standard error. */
void ow_log_conf_init(struct ow_log_conf *conf);

/* Apply "key=value ...". 0; -EINVAL: `problem` is set, the rest applied. */
int ow_log_conf_string(struct ow_log_conf *conf, const char *text);

/*
 * Apply from the file `path`: the `*` line, lines whose pattern matches one of
 * the names, then the line of `first`, or if there is none that of `second`.
 * NULL: no such name. 0; -errno: `problem` is set.
 */
int ow_log_conf_file(struct ow_log_conf *conf, const char *path,
		     const char *first, const char *second);

/* Apply all sources. `program`: its name without folders. */
void ow_log_conf_load(struct ow_log_conf *conf, const char *program);

#endif
