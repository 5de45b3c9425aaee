/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubb.h - read a UBBCONFIG file of Oracle Tuxedo
 *
 * Sections begin with *NAME. In *RESOURCES a line is a keyword and its value.
 * Elsewhere an entry is a name, then KEYWORD=VALUE pairs on this line and the
 * next ones; an entry called DEFAULT: gives pairs to the entries after it.
 * Values may stand in double quotes, with \" for a quote in them; # begins a
 * comment. Keywords are kept in upper case.
 */
#ifndef OW_UBB_H
#define OW_UBB_H

#include <stdbool.h>
#include <stddef.h>

#include "libndrx/config/arena.h"

#define OW_UBB_WHY 256

struct ow_ubb_param {
	const char *key;
	const char *value;
	unsigned int line;
	bool used; /* read by ow_ubb_value() */
	struct ow_ubb_param *next;
};

struct ow_ubb_entry {
	const char *section; /* upper case, without the star */
	const char *name;    /* "" in RESOURCES */
	unsigned int line;
	struct ow_ubb_param *params;
	struct ow_ubb_entry *defaults; /* the DEFAULT: entry before it */
	struct ow_ubb_entry *next;
};

struct ow_ubb {
	struct ow_arena arena; /* owns everything */
	struct ow_ubb_entry *entries; /* in the order of the file */
};

/* 0; 1 with the reason in `why` ("LINE: what is wrong"); -ENOMEM. The caller
 * frees in every case. */
int ow_ubb_read(const char *text, struct ow_ubb *ret_ubb,
		char why[OW_UBB_WHY]);
void ow_ubb_free(struct ow_ubb *ubb);

/* The value of a keyword: of the entry, of its defaults, or NULL. */
const char *ow_ubb_value(struct ow_ubb_entry *e, const char *key);

#endif
