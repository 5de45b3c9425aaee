/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compatible.c - the word of NDRX_COMPAT
 */
#include "libubf/base/compatible.h"

#include <string.h>

#include "libubf/base/variable.h"

static bool is(const char *word)
{
	const char *value = ow_variable("NDRX_COMPAT");

	return value != NULL && strcmp(value, word) == 0;
}

bool ow_compat_is_known(void)
{
	const char *value = ow_variable("NDRX_COMPAT");

	return value == NULL || *value == '\0' || ow_compat_tuxedo() ||
	       ow_compat_enduro();
}

bool ow_compat_tuxedo(void)
{
	return is("strict-tuxedo");
}

bool ow_compat_enduro(void)
{
	return is("strict-enduro");
}
