/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges.h - the ranges of a <route>: from a value to a group
 *
 * FROM-TO:GROUP, VALUE:GROUP, *:GROUP, separated by commas; MIN and MAX stand
 * for no bound. Both ends belong to the range; the first range that holds the
 * value wins. Texts may stand in quotes, in which a backslash protects the next
 * character.
 */
#ifndef OW_RANGES_H
#define OW_RANGES_H

#include <stddef.h>

#define OW_ROUTE_GROUP 16 /* bytes of a group's name, with the NUL */

struct ow_ranges;

enum ow_ranges_kind {
	OW_RANGES_INTEGER,
	OW_RANGES_REAL, /* equal: closer than a millionth */
	OW_RANGES_TEXT, /* strcmp() */
};

/* What is looked for. */
struct ow_ranges_value {
	enum ow_ranges_kind kind;
	long integer;
	double real;
	const char *text;
};

/* 0, -EINVAL, -ENOMEM. */
int ow_ranges_parse(const char *text, struct ow_ranges **ret);
struct ow_ranges *ow_ranges_free(struct ow_ranges *r);
/* The group of range number `i`, "*" for any; NULL: no more. */
const char *ow_ranges_group(const struct ow_ranges *r, size_t i);
/* The group, "*" for any; NULL: no range holds the value. */
const char *ow_ranges_find(const struct ow_ranges *r,
			   const struct ow_ranges_value *v);

#endif
