/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constants.c - the constants of waiting and waking, changed for experiments
 */
#include "libatmi/waking/constants.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/env.h"

#define TEXT_MAX 1024

const struct ow_waking ow_waking_defaults = {
#define X(id, val, min, max, reason, figures) .id = val,
	OW_WAKING_CONSTANTS(X)
#undef X
};

static const struct ow_waking_constant constants[] = {
#define X(id, val, min, max, reason, figures)                           \
	{ .name = #id, .why = reason, .measured = figures, .value = val, \
	  .least = min, .most = max },
	OW_WAKING_CONSTANTS(X)
#undef X
};

#define COUNT (sizeof(constants) / sizeof(constants[0]))
_Static_assert(sizeof(struct ow_waking) == COUNT * sizeof(uint64_t),
	       "a constant is one number");

const struct ow_waking_constant *ow_waking_constant(size_t i)
{
	return i < COUNT ? &constants[i] : NULL;
}

uint64_t ow_waking_value(const struct ow_waking *k, size_t i)
{
	uint64_t v;

	memcpy(&v, (const char *)k + i * sizeof(v), sizeof(v));
	return v;
}

static int set(struct ow_waking *k, const char *name, const char *value)
{
	uint64_t v;
	long given;
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (strcmp(name, constants[i].name) == 0)
			break;
	if (i == COUNT || ow_env_parse_long(value, &given) != 0 || given < 0)
		return -EINVAL;
	v = (uint64_t)given;
	if (v < constants[i].least || v > constants[i].most)
		return -EINVAL;
	memcpy((char *)k + i * sizeof(v), &v, sizeof(v));
	return 0;
}

int ow_waking_read(struct ow_waking *ret, const char *text, char *why,
		   size_t size)
{
	struct ow_waking k = ow_waking_defaults;
	char buf[TEXT_MAX], *name = buf, *value = buf;
	int r = text != NULL ? 0 : OW_ENV_END;

	*ret = k;
	while (r == 0) {
		r = ow_env_next_item(&text, buf, sizeof(buf), &name, &value);
		if (r == 0 && set(&k, name, value) != 0) {
			snprintf(why, size,
				 "NDRX_WAKE_POLICY: %.40s=%.40s: no such "
				 "constant of libatmi/waking/constants.h, or "
				 "no value for it", name, value);
			return -EINVAL;
		}
	}
	if (r != OW_ENV_END) {
		snprintf(why, size, "NDRX_WAKE_POLICY: malformed");
		return -EINVAL;
	}
	*ret = k;
	return 0;
}
