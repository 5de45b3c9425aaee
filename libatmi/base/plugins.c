/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugins.c - libraries that the environment adds to every program
 */
#include "libatmi/base/plugins.h"

#include <dlfcn.h>
#include <expluginbase.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"

static struct ow_plugins all;

/* dlsym() returns a pointer to an object, which C does not convert. */
static bool find(void *lib, const char *name, void *ret_function)
{
	void *symbol = dlsym(lib, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static void leave_out(const char *name, const char *why)
{
	snprintf(all.problem, sizeof(all.problem), "plugin %.60s: %.150s",
		 name, why != NULL ? why : "");
}

static void load(const char *name)
{
	long (*init)(char *, int) = NULL;
	char provider[64] = "";
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	long has;

	if (lib == NULL) {
		leave_out(name, dlerror());
		return;
	}
	has = find(lib, "ndrx_plugin_init", &init)
		  ? init(provider, sizeof(provider))
		  : -1;
	if (has < 0) {
		leave_out(name, init == NULL ? "it has no ndrx_plugin_init()"
					     : "ndrx_plugin_init() failed");
		return;
	}
	if ((has & NDRX_PLUGIN_FUNC_ENCKEY) && all.key == NULL &&
	    !find(lib, "ndrx_plugin_crypto_getkey", &all.key))
		leave_out(name, "it has no ndrx_plugin_crypto_getkey()");
	if ((has & NDRX_PLUGIN_FUNC_TPLOGPRINTUBF_HOOK) &&
	    all.print_hook == NULL &&
	    !find(lib, "ndrx_plugin_tplogprintubf_hook", &all.print_hook))
		leave_out(name, "it has no ndrx_plugin_tplogprintubf_hook()");
}

static void load_all(void)
{
	OW_CLEANUP(ow_cleanup_freep) char *list = NULL;
	char *pos, *name;

	list = strdup(ow_env_str("NDRX_PLUGINS", ""));
	pos = list;
	while (pos != NULL && (name = strsep(&pos, ";")) != NULL)
		if (name[0] != '\0')
			load(name);
}

const struct ow_plugins *ow_plugins(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_all);
	return &all;
}

bool ow_plugins_wanted(void)
{
	return ow_env_str("NDRX_PLUGINS", "")[0] != '\0';
}
