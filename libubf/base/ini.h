/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ini.h - read a file of sections, keys and values
 *
 * A section begins with [NAME]. A line is KEY=VALUE; blanks around both are
 * cut off. A line that begins with a blank continues the value above, in a
 * line of its own. A line that begins with # or ; is a comment.
 */
#ifndef OW_INI_H
#define OW_INI_H

#include <stdio.h>

/* Called for each key: 0, or what ow_ini_read() then returns. */
typedef int ow_ini_fn(void *arg, const char *section, const char *key,
		      const char *value);

/* 0; -ENOMEM; -EIO; or the result of `take`. *ret_bad: the first line that is
 * neither and was left out, a [ without ], then with the keys below it, or a =
 * without a key; 0: there is none. */
int ow_ini_read(FILE *f, ow_ini_fn *take, void *arg, unsigned int *ret_bad);

#endif
