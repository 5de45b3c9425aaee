/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.h - a file that has lost what was on disk, and the operator's word
 *
 * A server that finds damage behind something that was synced does not start:
 * what to do without it is not its to decide. It writes what is lost and what is
 * kept into FILE.damage. `xadmin repair` shows that, and doctor; with the
 * operator's word it writes FILE.accepted, which carries the checksum of the
 * report. The server starts again, finds the same damage and the word that
 * belongs to it, goes on with what is kept, and the report becomes
 * FILE.repaired. Other damage than the one accepted is refused again.
 */
#ifndef OW_DAMAGE_H
#define OW_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>

#define OW_DAMAGE_TEXT 8192

/* A report that is being written: lines. */
struct ow_damage {
	char text[OW_DAMAGE_TEXT];
	size_t len;
};

/* Add a line; of too many lines the last ones are left off. */
void ow_damage_say(struct ow_damage *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The damage of the file `path`: true, the operator has accepted it. Otherwise
 * the report is written beside the file, and `why` says so. */
bool ow_damage_is_accepted(const struct ow_damage *d, const char *path,
			   char *why, size_t size);
/* The server has gone on: its report is kept as FILE.repaired. */
void ow_damage_settle(const char *path);
/* The file is whole: an older report does not hold any more. */
void ow_damage_none(const char *path);

/* ---- for operators; `report` is the path of a FILE.damage ---- */

/* Read a report: the text, malloc'ed; NULL: it cannot be read. */
char *ow_damage_read(const char *report);
/* Go on in spite of what it says: 0 or -errno. */
int ow_damage_accept(const char *report);
/* Each report of the domain in $NDRX_APPHOME, and how many there are. Servers
 * that keep their files elsewhere note it there, in log/damage.list. */
int ow_damage_each(void (*found)(const char *report, void *arg), void *arg);

#endif
