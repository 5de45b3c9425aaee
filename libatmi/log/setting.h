/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting.h - settings of the runtime: variables that hold a number or a time
 *
 * An unset or empty variable takes the default. A malformed value is logged
 * with the name of the variable; the caller decides whether to go on.
 * Both: 0 or -EINVAL, and *ret stays untouched on failure.
 */
#ifndef OW_SETTING_H
#define OW_SETTING_H

#include <stdint.h>

/* A duration as ow_env_parse_ms() reads it. */
int ow_setting_ms(const char *name, uint64_t def_ms, uint64_t *ret_ms);

/* A whole number from min to max. */
int ow_setting_long(const char *name, long def, long min, long max,
		    long *ret_value);

#endif
