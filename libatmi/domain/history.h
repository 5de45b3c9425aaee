/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - the history: what ndrxd did and who ordered it, as a text file
 *
 * $NDRX_APPHOME/log/history.log has a line for each event. It is a log of its
 * own, whatever the configuration of logs says, and it outlasts the domain,
 * which the event ring (events.h) does not. ndrxd appends, and `xadmin down`,
 * which works without ndrxd. A line:
 *
 *	2026-11-22T19:43:00.123Z died testsv 1 1234 process 1234 killed ...	/bank
 *
 * Time (UTC), kind, who, server id or -, process or -, text; behind a tab the domain,
 * as several may have the same folder one after the other. Blanks in the
 * first words are underscores; control characters are question marks, for names
 * and command lines come from others.
 */
#ifndef OW_HISTORY_H
#define OW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "libatmi/domain/events.h"

#define OW_HISTORY_LINE 768 /* the longest line, with its NUL */
#define OW_HISTORY_PATH 544

struct ow_domain;

/* Its path; "" without NDRX_APPHOME. */
void ow_history_path(const struct ow_domain *d, char buf[OW_HISTORY_PATH]);

/* Write the event (kind, real_ns, who, srvid, pid, text) of the domain with this
 * prefix (without its '/') as a line with its newline. The length. */
size_t ow_history_line(const struct ow_event *e, const char *prefix,
		       char buf[OW_HISTORY_LINE]);

/* Read a line. False: it is none, or of another domain; one that names no domain was
 * written by an earlier version. */
bool ow_history_parse(const char *line, const char *prefix,
		      struct ow_event *ret);

/* Append an event of now, from a process other than ndrxd: 0 or -errno. */
int ow_history_append(const struct ow_domain *d, struct ow_event *e);

#endif
