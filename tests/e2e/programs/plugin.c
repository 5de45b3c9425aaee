/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.c - a plugin that calls a service, for unloader.c
 */
#include <string.h>
#include <xatmi.h>

int plugin_call(const char *svc);

/* tperrno of a call; 100: wrong reply. */
__attribute__((visibility("default"))) int plugin_call(const char *svc)
{
	char *data = tpalloc("STRING", NULL, 100), *out = NULL;
	long olen = 0;
	int r;

	strcpy(data, "plugin");
	r = tpcall((char *)svc, data, 0, &out, &olen, 0);
	r = r < 0 ? tperrno : strcmp(out, "plugin") == 0 ? 0 : 100;
	tpfree(data);
	if (out != NULL)
		tpfree(out);
	return r;
}
