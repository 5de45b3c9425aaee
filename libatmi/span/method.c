/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method.c - methods of HTTP in spans, as numbers
 */
#include "libatmi/span/method.h"

#include <string.h>

static const char *const names[] = {
	"_OTHER", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
};

#define COUNT (sizeof(names) / sizeof(names[0]))

uint8_t ow_span_method_find(const char *name)
{
	uint8_t i;

	for (i = 1; i < COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

const char *ow_span_method_name(uint8_t method)
{
	return names[method < COUNT ? method : 0];
}
