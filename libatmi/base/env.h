/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.h - environment variables, read strictly
 *
 * An unset or empty variable takes the default. A value that cannot be read
 * is an error: it is logged with variable and value, and the caller decides.
 * Results of the readers: 0 or -EINVAL; *ret stays untouched on failure.
 */
#ifndef OW_ENV_H
#define OW_ENV_H

#include <stddef.h>
#include <stdint.h>

enum ow_env_item_result {
	OW_ENV_END = 1, /* no further item */
};

#pragma GCC visibility push(default)

/* The variable, or `def`; valid until the next setenv(). */
const char *ow_env_str(const char *name, const char *def);

/* A duration: seconds `30`, `1.5`, `2s`, or `250ms`; finer is cut. */
int ow_env_ms(const char *name, uint64_t def_ms, uint64_t *ret_ms);

/* A whole number from min to max. */
int ow_env_long(const char *name, long def, long min, long max,
		long *ret_value);

/* The two readers for text from elsewhere (xml, options). Silent. */
int ow_env_parse_ms(const char *text, uint64_t *ret_ms);
int ow_env_parse_long(const char *text, long *ret_value);

/*
 * Copy `in` with ${NAME} replaced by the variable (unset: by nothing); \${
 * is a plain ${. -E2BIG: `out` is too small; -EINVAL: no closing brace;
 * -ENOTSUP: ${dec=...}, encrypted values, logged. `out` is terminated always.
 */
int ow_env_expand(const char *in, char *out, size_t size);

/*
 * Take the next item off a configuration string: items are separated by
 * blanks, tabs or commas, `key=value` or `key`; a value may stand in quotes
 * of either kind; a backslash takes the next character as it is. *pos moves
 * on. *ret_key and *ret_value ("" for a lone key) lie in buf and are valid
 * until buf changes. 0, OW_ENV_END, -E2BIG (buf), -EINVAL (open quote).
 */
int ow_env_next_item(const char **pos, char *buf, size_t size, char **ret_key,
		     char **ret_value);

#pragma GCC visibility pop
#endif
