/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion.c - the modes of option -x
 */
#include "libatmisrv/conversion.h"

#include <stddef.h>
#include <string.h>

static const struct ow_conversion modes[] = {
	{ "JSON2UBF", OW_BUF_JSON, OW_BUF_UBF },
	{ "UBF2JSON", OW_BUF_UBF, OW_BUF_JSON },
	{ "JSON2VIEW", OW_BUF_JSON, OW_BUF_VIEW },
	{ "VIEW2JSON", OW_BUF_VIEW, OW_BUF_JSON },
};

const struct ow_conversion *ow_conversion_find(const char *name,
					       bool *ret_forced)
{
	size_t i, n;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		n = strlen(modes[i].name);
		if (strncmp(modes[i].name, name, n) != 0)
			continue;
		if (name[n] != '\0' && strcmp(name + n, "F") != 0)
			continue;
		*ret_forced = name[n] != '\0';
		return &modes[i];
	}
	return NULL;
}
