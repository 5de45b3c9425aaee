/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apiflag.c - the words of NDRX_APIFLAGS
 */
#include "libubf/base/apiflag.h"

#include <stdlib.h>
#include <string.h>

#include "libubf/base/variable.h"

#define SEPARATORS ", \t\r\n"

bool ow_apiflag(const char *name)
{
	const char *p = ow_variable("NDRX_APIFLAGS");
	size_t n = strlen(name), len;

	while (p != NULL && *p != '\0') {
		p += strspn(p, SEPARATORS);
		len = strcspn(p, SEPARATORS);
		if (len == n && memcmp(p, name, n) == 0)
			return true;
		p += len;
	}
	return false;
}
