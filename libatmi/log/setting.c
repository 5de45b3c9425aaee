/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting.c - settings of the runtime: variables that hold a number or a time
 */
#include "libatmi/log/setting.h"

#include <errno.h>
#include <stddef.h>

#include "libatmi/base/env.h"
#include "libatmi/log/log.h"

int ow_setting_ms(const char *name, uint64_t def_ms, uint64_t *ret_ms)
{
	const char *text = ow_env_str(name, NULL);

	if (text == NULL) {
		*ret_ms = def_ms;
		return 0;
	}
	if (ow_env_parse_ms(text, ret_ms) < 0) {
		log_error("environment: %s=%s: not a time (30, 1.5, 2s, 250ms)",
			  name, text);
		return -EINVAL;
	}
	return 0;
}

int ow_setting_long(const char *name, long def, long min, long max,
		    long *ret_value)
{
	const char *text = ow_env_str(name, NULL);
	long value;

	if (text == NULL) {
		*ret_value = def;
		return 0;
	}
	if (ow_env_parse_long(text, &value) < 0) {
		log_error("environment: %s=%s: not a number", name, text);
		return -EINVAL;
	}
	if (value < min || value > max) {
		log_error("environment: %s=%s: not within %ld..%ld", name, text,
			  min, max);
		return -EINVAL;
	}
	*ret_value = value;
	return 0;
}
