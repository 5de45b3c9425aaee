/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - which resource manager this process has: NDRX_XA_*
 */
#include "libatmi/xa/config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/env.h"

static struct ow_xa_config config;

static char *copy(const char *name, const char *def)
{
	char *s = strdup(ow_env_str(name, def));

	if (s == NULL)
		snprintf(config.problem, sizeof(config.problem),
			 "no memory for %s", name);
	return s;
}

/* Is `word` an item of the list, which semicolons separate? */
static bool has_item(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = list; *p != '\0'; p += strcspn(p, ";"), p += *p == ';')
		if (strcspn(p, ";") == n && strncmp(p, word, n) == 0)
			return true;
	return false;
}

static void read_config(void)
{
	const char *id = ow_env_str("NDRX_XA_RES_ID", "");
	long n = 0;

	if (*id != '\0' && (ow_env_parse_long(id, &n) != 0 || n < 1 ||
			    n > OW_XA_RMID_MAX)) {
		snprintf(config.problem, sizeof(config.problem),
			 "NDRX_XA_RES_ID=%.20s: give a number from 1 to %d", id,
			 OW_XA_RMID_MAX);
		n = 0;
	}
	config.rmid = (int)n;
	config.open_str = copy("NDRX_XA_OPEN_STR", "");
	config.close_str = copy("NDRX_XA_CLOSE_STR",
				ow_env_str("NDRX_XA_OPEN_STR", ""));
	config.driver = copy("NDRX_XA_DRIVERLIB", "");
	config.library = copy("NDRX_XA_RMLIB", "");
	config.own_branches =
	    has_item(ow_env_str("NDRX_XA_FLAGS", ""), "NOJOIN");
	config.last_resource =
	    has_item(ow_env_str("NDRX_XA_FLAGS", ""), "LASTRESOURCE");
}

const struct ow_xa_config *ow_xa_config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_config);
	return &config;
}
