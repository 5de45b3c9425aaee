/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - find the switch of the resource manager
 */
#include "libatmi/xa/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/xa/config.h"

/* Names of drivers that configurations carry, and the switch of the vendor's
 * library that each stands for. */
static const struct vendor {
	const char *driver, *symbol;
} vendors[] = {
	{ "libndrxxaoras.so", "xaosw" },
	{ "libndrxxaorad.so", "xaoswd" },
	{ "libndrxxadb2s.so", "db2xa_switch_static_std" },
	{ "libndrxxadb2d.so", "db2xa_switch_std" },
	{ "libndrxxawsmqs.so", "MQRMIXASwitch" },
	{ "libndrxxawsmqd.so", "MQRMIXASwitchDynamic" },
};

static struct xa_switch_t *provided, *found;
static void *(*connection)(void); /* NULL: the driver has none to give */
static int (*has_sent)(void);	  /* NULL: it does not say */
static const struct ow_xa_last *(*last)(void); /* NULL: it has none */
static bool end_prepares, is_driver;
static char problem[256];

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static void *open_library(const char *name)
{
	/* Global: a vendor's library loads parts of its own. */
	void *lib = dlopen(name, RTLD_NOW | RTLD_GLOBAL);

	if (lib == NULL)
		snprintf(problem, sizeof(problem), "%.200s", dlerror());
	return lib;
}

static struct xa_switch_t *load_vendor(const struct vendor *v,
				       const char *library)
{
	void *lib, *symbol;

	if (*library == '\0') {
		snprintf(problem, sizeof(problem), "%s needs NDRX_XA_RMLIB",
			 v->driver);
		return NULL;
	}
	lib = open_library(library);
	if (lib == NULL)
		return NULL;
	symbol = dlsym(lib, v->symbol);
	if (symbol == NULL)
		snprintf(problem, sizeof(problem), "%.150s has no switch %s",
			 library, v->symbol);
	return symbol;
}

static struct xa_switch_t *load_driver(const char *driver)
{
	struct xa_switch_t *(*get)(void) = NULL;
	void *lib = open_library(driver), *symbol;

	if (lib == NULL)
		return NULL;
	symbol = dlsym(lib, "ndrx_get_xa_switch");
	memcpy(&get, &symbol, sizeof(get)); /* not to be converted in C */
	if (get == NULL) {
		snprintf(problem, sizeof(problem), "%.150s has no "
			 "ndrx_get_xa_switch()", driver);
		return NULL;
	}
	symbol = dlsym(lib, "ndrx_xa_connection");
	memcpy(&connection, &symbol, sizeof(connection));
	symbol = dlsym(lib, "ndrx_xa_has_sent");
	memcpy(&has_sent, &symbol, sizeof(has_sent));
	symbol = dlsym(lib, "ndrx_xa_last");
	memcpy(&last, &symbol, sizeof(last));
	end_prepares = dlsym(lib, "ndrx_xa_end_prepares") != NULL;
	return get();
}

static void load(void)
{
	const struct ow_xa_config *x = ow_xa_config();
	const char *name;
	size_t i;

	snprintf(problem, sizeof(problem), "%s", x->problem);
	found = provided;
	if (found != NULL && (found != &tmnull_switch || *x->driver == '\0'))
		return;
	found = NULL;
	if (problem[0] != '\0' || *x->driver == '\0')
		return;
	name = base_name(x->driver);
	if (strcmp(name, "libndrxxanulls.so") == 0) {
		found = &tmnull_switch;
		return;
	}
	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strcmp(name, vendors[i].driver) == 0) {
			found = load_vendor(&vendors[i], x->library);
			return;
		}
	found = load_driver(x->driver);
	is_driver = found != NULL;
}

void ow_xa_provide(struct xa_switch_t *sw)
{
	provided = sw;
}

struct xa_switch_t *ow_xa_switch(char *why, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	if (found == NULL && why != NULL)
		snprintf(why, size, "%s", problem);
	return found;
}

void *ow_xa_connection(void)
{
	return ow_xa_switch(NULL, 0) != NULL && connection != NULL
		   ? connection()
		   : NULL;
}

const char *ow_xa_problem(void)
{
	(void)ow_xa_switch(NULL, 0);
	return problem;
}

bool ow_xa_end_prepares(void)
{
	return ow_xa_switch(NULL, 0) != NULL && end_prepares;
}

const struct ow_xa_last *ow_xa_last(void)
{
	return ow_xa_switch(NULL, 0) != NULL && last != NULL ? last() : NULL;
}

bool ow_xa_has_sent(void)
{
	return ow_xa_switch(NULL, 0) == NULL || has_sent == NULL ||
	       has_sent() != 0;
}

bool ow_xa_commits_aside(void)
{
	return is_driver && (found->flags & TMUSEASYNC) != 0;
}
