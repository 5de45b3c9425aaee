/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.c - where the configuration is that TUXCONFIG names
 */
#include "clients/tm/site.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"

const char *site_name(void)
{
	return ow_env_str("TUXCONFIG", ow_env_str("NDRX_CONFIG", ""));
}

int site_path(const char *program, const char *file, char *path, size_t size)
{
	const char *config = ow_env_str("TUXCONFIG", NULL);

	if (config == NULL) {
		fprintf(stderr, "%s: TUXCONFIG is not set\n", program);
		return -1;
	}
	snprintf(path, size, "%s.d%s%s", config, *file != '\0' ? "/" : "",
		 file);
	return 0;
}

void site_machine(char *name, size_t size)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	const char *config = ow_env_str("TUXCONFIG", "");
	char path[PATH_MAX], line[1024], word[64];

	snprintf(name, size, "%s", ow_env_str("NDRX_LMID", ""));
	if (*name != '\0')
		return;
	gethostname(name, size);
	name[size - 1] = '\0';
	snprintf(path, sizeof(path), "%s.d/conf/ubbconfig", config);
	f = *config != '\0' ? fopen(path, "re") : NULL;
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, " MASTER %63[^, \t\r\n]", word) == 1) {
			snprintf(name, size, "%s", word);
			return;
		}
	}
}
