/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.h - read text from the environment strictly
 *
 * Texts are variables, their values and configuration strings that may name
 * variables. A text that does not follow the rules is refused as a whole. No
 * function here logs: log/setting.h does for the settings of the runtime.
 * Out-parameters stay untouched on failure.
 */
#ifndef OW_ENV_H
#define OW_ENV_H

#include <stddef.h>
#include <stdint.h>

enum ow_env_item_result {
	OW_ENV_END = 1, /* no further item */
};

/* The variable's value, `def` when it is unset or empty. Valid until the next
 * setenv(). */
const char *ow_env_str(const char *name, const char *def);

/* A duration: seconds as `30`, `1.5` or `2s`, or milliseconds as `250ms`.
 * Digits below a millisecond are cut off. 0 or -EINVAL. */
int ow_env_parse_ms(const char *text, uint64_t *ret_ms);

/* A whole decimal number. 0 or -EINVAL. */
int ow_env_parse_long(const char *text, long *ret_value);

/*
 * Take the next item off a configuration string. An item is `key=value` or
 * `key`; blanks, tabs and commas separate items; a value may stand in single
 * or double quotes; a backslash takes the next character literally. *pos
 * moves behind the item. *ret_key and *ret_value ("" for a lone key) lie in
 * buf and are valid until buf changes. 0; OW_ENV_END; -E2BIG: buf is too
 * small; -EINVAL: a quote is not closed.
 */
int ow_env_next_item(const char **pos, char *buf, size_t size, char **ret_key,
		     char **ret_value);

#endif
