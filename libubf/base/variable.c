/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variable.c - the environment's one door
 */
#include "libubf/base/variable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Honoured with AT_SECURE. Which domain: that of another user than the
 * program's is refused (libatmi/base/owned.h). The rest are numbers and
 * words. */
static const char *const honoured[] = {
	"NDRX_QPREFIX",	 "NDRX_NODEID",	  "NDRX_TRANSPORT", "NDRX_TOUT",
	"NDRX_MSGMAX",	 "NDRX_MSGSIZEMAX", "NDRX_WAKE", "NDRX_WAKE_POLICY",
	"NDRX_LDBAL",	 "NDRX_APIFLAGS", "NDRX_THREADSTACKSIZE",
	"NDRX_XADMINTOUT", "NDRX_SILENT", "NDRX_SIGRSTRT", "TRACEPARENT",
	"NO_COLOR",	 "TERM",
};

static bool is_honoured(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(honoured) / sizeof(*honoured); i++)
		if (strcmp(honoured[i], name) == 0)
			return true;
	return false;
}

bool ow_variable_is_elevated(void)
{
	return getauxval(AT_SECURE) != 0;
}

const char *ow_variable(const char *name)
{
	const char *value = getenv(name);

	return value == NULL || is_honoured(name) ? value
						  : secure_getenv(name);
}

char *ow_variable_of_program(const char *name)
{
	return getenv(name);
}
