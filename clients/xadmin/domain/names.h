/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - a set of queue names
 */
#ifndef OW_NAMES_H
#define OW_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define OW_NAMES_LEN 256 /* of a queue's name, with '/' and NUL */

/* All zero: empty. */
struct ow_names {
	char (*list)[OW_NAMES_LEN];
	size_t n, cap;
};

/* False: the name is in the set already, is too long, or memory ran out. */
bool ow_names_add(struct ow_names *s, const char *name);
void ow_names_clear(struct ow_names *s);

#endif
