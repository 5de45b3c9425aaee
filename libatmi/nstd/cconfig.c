/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.c - the ini configuration of the process, for applications
 *
 * The library reads [@global] itself when it is loaded
 * (libubf/base/cconfig.h). Here a program reads the other sections. The lock
 * guards the pointer; a configuration that is there stays.
 */
#include <cconfig.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/nerror.h"
#include "libatmi/nstd/inicfg.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/variable.h"

#define NAME_SIZE 512

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ndrx_inicfg_t *of_process;

static int read_all(ndrx_inicfg_t *cfg)
{
	const char *path;
	int r = 0;

	for (size_t i = 0; i < OW_CCONFIG_SOURCES && r == 0; i++) {
		path = ow_cconfig_source_path(i);
		if (path != NULL)
			r = ow_inicfg_end(ow_inicfg_read(cfg, path, NULL),
					  path);
	}
	return r;
}

int ndrx_cconfig_load_general(ndrx_inicfg_t **cfg)
{
	ndrx_inicfg_t *made = NULL;

	if (cfg == NULL)
		return ow_n_fail(NEINVAL, "cfg is NULL");
	if (*cfg == NULL) {
		made = ndrx_inicfg_new();
		if (made == NULL)
			return -1;
	}
	if (read_all(made != NULL ? made : *cfg) != 0) {
		ndrx_inicfg_free(made);
		return -1;
	}
	if (made != NULL)
		*cfg = made;
	return 0;
}

ndrx_inicfg_t *ndrx_get_G_cconfig(void)
{
	ndrx_inicfg_t *cfg;

	pthread_mutex_lock(&lock);
	if (of_process == NULL)
		ndrx_cconfig_load_general(&of_process);
	cfg = of_process;
	pthread_mutex_unlock(&lock);
	return cfg;
}

int ndrx_cconfig_load(void)
{
	return ndrx_get_G_cconfig() != NULL ? 0 : -1;
}

int ndrx_cconfig_reload(void)
{
	ndrx_inicfg_t *cfg = ndrx_get_G_cconfig();

	return cfg != NULL ? read_all(cfg) : -1;
}

/* [section/TAG1/TAG2], [section/TAG2], [section/TAG1]. */
static int add_tagged(ndrx_inicfg_t *cfg, const char *section,
		      const char *tags, ndrx_inicfg_section_keyval_t **out)
{
	char name[2 * NAME_SIZE], copy[NAME_SIZE], *tag;
	int r;

	snprintf(name, sizeof(name), "%.500s/%.500s", section, tags);
	r = ow_inicfg_section(cfg, NULL, name, out);
	snprintf(copy, sizeof(copy), "%s", tags);
	while (r == 0 && (tag = strrchr(copy, '/')) != NULL) {
		snprintf(name, sizeof(name), "%.500s%s", section, tag);
		r = ow_inicfg_section(cfg, NULL, name, out);
		*tag = '\0';
	}
	snprintf(name, sizeof(name), "%.500s/%s", section, copy);
	return r != 0 ? r : ow_inicfg_section(cfg, NULL, name, out);
}

int ndrx_cconfig_get_cf(ndrx_inicfg_t *cfg, char *section,
			ndrx_inicfg_section_keyval_t **out)
{
	const char *tags = ow_variable("NDRX_CCTAG");
	int r = 0;

	if (cfg == NULL || section == NULL || out == NULL)
		return ow_n_fail(NEINVAL, "cfg, section or out is NULL");
	if (tags != NULL && *tags != '\0')
		r = add_tagged(cfg, section, tags, out);
	if (r == 0)
		r = ow_inicfg_with_parents(cfg, NULL, section, out);
	return ow_inicfg_end(r, section);
}

int ndrx_cconfig_get(char *section, ndrx_inicfg_section_keyval_t **out)
{
	ndrx_inicfg_t *cfg = ndrx_get_G_cconfig();

	return cfg != NULL ? ndrx_cconfig_get_cf(cfg, section, out) : -1;
}
