/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inicfg.c - read ini files for applications
 *
 * A configuration is a list of resources (files, folders) in the order of their
 * coming, each with its sections, each with its keys. Lookups copy: what a
 * program holds stays when a resource is read again.
 */
#define HASH_NONFATAL_OOM 1 /* hh.tbl is NULL then */
#include <inicfg.h>

#include <errno.h>
#include <ndebug.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/nerror.h"
#include "libatmi/nstd/inicfg.h"
#include "libubf/base/cconfig.h"

struct resource {
	char *path;
	ndrx_inicfg_section_t *sections;
	struct resource *before, *after;
};

struct ndrx_inicfg {
	struct resource *first, *last;
	bool load_global_env;
};

/* ---- keys ---- */

static void free_keyval(ndrx_inicfg_section_keyval_t *kv)
{
	free(kv->section);
	free(kv->key);
	free(kv->val);
	free(kv);
}

/* Add a key. One that is there stays, or gets the value if `replace`. */
static int put_key(ndrx_inicfg_section_keyval_t **h, const char *section,
		   const char *key, const char *val, bool replace)
{
	ndrx_inicfg_section_keyval_t *kv = NULL;

	EXHASH_FIND_STR(*h, key, kv);
	if (kv != NULL && !replace)
		return 0;
	if (kv != NULL) {
		EXHASH_DEL(*h, kv);
		free_keyval(kv);
	}
	kv = calloc(1, sizeof(*kv));
	if (kv == NULL)
		return -ENOMEM;
	kv->section = strdup(section);
	kv->key = strdup(key);
	kv->val = strdup(val);
	if (kv->section != NULL && kv->key != NULL && kv->val != NULL)
		EXHASH_ADD_KEYPTR(hh, *h, kv->key, strlen(kv->key), kv);
	if (kv->hh.tbl == NULL) {
		free_keyval(kv);
		return -ENOMEM;
	}
	return 0;
}

static int put_keys(ndrx_inicfg_section_keyval_t **h,
		    ndrx_inicfg_section_keyval_t *from, bool replace)
{
	int r = 0;

	for (; from != NULL && r == 0; from = from->hh.next)
		r = put_key(h, from->section, from->key, from->val, replace);
	return r;
}

ndrx_inicfg_section_keyval_t *ndrx_keyval_hash_get(
    ndrx_inicfg_section_keyval_t *h, char *key)
{
	ndrx_inicfg_section_keyval_t *kv = NULL;

	if (key != NULL)
		EXHASH_FIND_STR(h, key, kv);
	return kv;
}

void ndrx_keyval_hash_free(ndrx_inicfg_section_keyval_t *h)
{
	ndrx_inicfg_section_keyval_t *kv, *next;

	EXHASH_ITER(hh, h, kv, next) {
		EXHASH_DEL(h, kv);
		free_keyval(kv);
	}
}

/* ---- sections ---- */

static ndrx_inicfg_section_t *find_section(ndrx_inicfg_section_t *all,
					   const char *name)
{
	ndrx_inicfg_section_t *s = NULL;

	EXHASH_FIND_STR(all, name, s);
	return s;
}

/* The section, made if it is not there. NULL: no memory. */
static ndrx_inicfg_section_t *section_of(ndrx_inicfg_section_t **all,
					 const char *name)
{
	ndrx_inicfg_section_t *s = find_section(*all, name);

	if (s != NULL)
		return s;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->section = strdup(name);
	if (s->section != NULL)
		EXHASH_ADD_KEYPTR(hh, *all, s->section, strlen(s->section), s);
	if (s->hh.tbl != NULL)
		return s;
	free(s->section);
	free(s);
	return NULL;
}

void ndrx_inicfg_sections_free(ndrx_inicfg_section_t *sections)
{
	ndrx_inicfg_section_t *s, *next;

	EXHASH_ITER(hh, sections, s, next) {
		EXHASH_DEL(sections, s);
		ndrx_keyval_hash_free(s->values);
		free(s->section);
		free(s);
	}
}

/* Does the name begin with one of the texts? NULL: any name does. */
static bool begins(const char *name, char **texts)
{
	if (texts == NULL)
		return true;
	for (; *texts != NULL; texts++)
		if (strncmp(name, *texts, strlen(*texts)) == 0)
			return true;
	return false;
}

static bool is_of(const struct resource *res, char **paths)
{
	if (paths == NULL)
		return true;
	for (; *paths != NULL; paths++)
		if (strcmp(res->path, *paths) == 0)
			return true;
	return false;
}

/* ---- resources ---- */

static void free_resource(struct resource *res)
{
	ndrx_inicfg_sections_free(res->sections);
	free(res->path);
	free(res);
}

/* The resource of that path, made at the end if it is not there. */
static struct resource *resource_of(ndrx_inicfg_t *cfg, const char *path)
{
	struct resource *res = cfg->first;

	while (res != NULL && strcmp(res->path, path) != 0)
		res = res->after;
	if (res != NULL)
		return res;
	res = calloc(1, sizeof(*res));
	if (res == NULL)
		return NULL;
	res->path = strdup(path);
	if (res->path == NULL) {
		free(res);
		return NULL;
	}
	res->before = cfg->last;
	*(cfg->last != NULL ? &cfg->last->after : &cfg->first) = res;
	cfg->last = res;
	return res;
}

struct reading {
	ndrx_inicfg_section_t *sections;
	char **starts;
};

static int take(void *arg, const char *section, const char *key,
		const char *value)
{
	struct reading *r = arg;
	ndrx_inicfg_section_t *s;
	char *text = NULL;
	int result;

	if (section == NULL)
		section = "";
	if (!begins(section, r->starts))
		return 0;
	s = section_of(&r->sections, section);
	result = ow_cconfig_expanded(key, value, &text);
	if (result == 0)
		result = s != NULL ? put_key(&s->values, section, key, text,
					     true)
				   : -ENOMEM;
	free(text);
	return result == OW_CCONFIG_LEFT_OUT ? 0 : result;
}

static void load_global(const struct resource *res)
{
	ndrx_inicfg_section_t *s = find_section(res->sections, "@global");
	ndrx_inicfg_section_keyval_t *kv;

	for (kv = s != NULL ? s->values : NULL; kv != NULL; kv = kv->hh.next)
		setenv(kv->key, kv->val, 1);
}

int ow_inicfg_read(ndrx_inicfg_t *cfg, const char *path, char **starts)
{
	struct reading r = { .starts = starts };
	struct resource *res;
	int result = ow_cconfig_source(path, take, &r, NULL);

	res = result == 0 ? resource_of(cfg, path) : NULL;
	if (res == NULL) {
		ndrx_inicfg_sections_free(r.sections);
		return result != 0 ? result : -ENOMEM;
	}
	ndrx_inicfg_sections_free(res->sections);
	res->sections = r.sections;
	if (cfg->load_global_env)
		load_global(res);
	return 0;
}

int ow_inicfg_reread(ndrx_inicfg_t *cfg, char **starts)
{
	int r = 0;

	for (struct resource *res = cfg->first; res != NULL && r == 0;
	     res = res->after)
		r = ow_inicfg_read(cfg, res->path, starts);
	return r;
}

int ow_inicfg_section(ndrx_inicfg_t *cfg, char **resources, const char *name,
		      ndrx_inicfg_section_keyval_t **out)
{
	ndrx_inicfg_section_t *s;
	int r = 0;

	for (struct resource *res = cfg->last; res != NULL && r == 0;
	     res = res->before) {
		s = is_of(res, resources) ? find_section(res->sections, name)
					  : NULL;
		if (s != NULL)
			r = put_keys(out, s->values, false);
	}
	return r;
}

int ow_inicfg_with_parents(ndrx_inicfg_t *cfg, char **resources,
			   const char *section,
			   ndrx_inicfg_section_keyval_t **out)
{
	char *name = strdup(section), *end;
	int r = name != NULL ? 0 : -ENOMEM;

	while (r == 0) {
		r = ow_inicfg_section(cfg, resources, name, out);
		end = strrchr(name, NDRX_INICFG_SUBSECT_SPERATOR);
		if (end == NULL)
			break;
		*end = '\0';
	}
	free(name);
	return r;
}

/* ---- the functions of the header ---- */

int ow_inicfg_end(int result, const char *what)
{
	if (result == 0)
		return EXSUCCEED;
	return ow_n_fail(result == -ENOMEM ? NEMALLOC : NEINVALINI, "%s: %s",
			 what, strerror(-result));
}

ndrx_inicfg_t *ndrx_inicfg_new(void)
{
	return ndrx_inicfg_new2(0);
}

ndrx_inicfg_t *ndrx_inicfg_new2(int load_global_env)
{
	ndrx_inicfg_t *cfg = calloc(1, sizeof(*cfg));

	if (cfg == NULL)
		ow_n_fail(NEMALLOC, "a configuration");
	else
		cfg->load_global_env = load_global_env != 0;
	return cfg;
}

void ndrx_inicfg_free(ndrx_inicfg_t *cfg)
{
	struct resource *res, *after;

	for (res = cfg != NULL ? cfg->first : NULL; res != NULL; res = after) {
		after = res->after;
		free_resource(res);
	}
	free(cfg);
}

int ndrx_inicfg_add(ndrx_inicfg_t *cfg, char *resource,
		    char **section_start_with)
{
	if (cfg == NULL || resource == NULL)
		return ow_n_fail(NEINVAL, "%s is NULL",
				 cfg == NULL ? "cfg" : "resource");
	return ow_inicfg_end(ow_inicfg_read(cfg, resource, section_start_with),
			     resource);
}

int ndrx_inicfg_update_single(ndrx_inicfg_t *cfg, char *resource,
			      char **section_start_with)
{
	return ndrx_inicfg_add(cfg, resource, section_start_with);
}

int ndrx_inicfg_reload(ndrx_inicfg_t *cfg, char **section_start_with)
{
	if (cfg == NULL)
		return ow_n_fail(NEINVAL, "cfg is NULL");
	return ow_inicfg_end(ow_inicfg_reread(cfg, section_start_with),
			     "configuration");
}

int ndrx_inicfg_get_subsect(ndrx_inicfg_t *cfg, char **resources,
			    char *section, ndrx_inicfg_section_keyval_t **out)
{
	if (cfg == NULL || section == NULL || out == NULL)
		return ow_n_fail(NEINVAL, "cfg, section or out is NULL");
	return ow_inicfg_end(ow_inicfg_with_parents(cfg, resources, section,
						    out), section);
}

int ndrx_inicfg_iterate(ndrx_inicfg_t *cfg, char **resources,
			char **section_start_with,
			ndrx_inicfg_section_t **out)
{
	ndrx_inicfg_section_t *s, *to;
	int r = 0;

	if (cfg == NULL || out == NULL)
		return ow_n_fail(NEINVAL, "%s is NULL",
				 cfg == NULL ? "cfg" : "out");
	for (struct resource *res = cfg->first; res != NULL; res = res->after)
		for (s = is_of(res, resources) ? res->sections : NULL;
		     s != NULL && r == 0; s = s->hh.next) {
			if (!begins(s->section, section_start_with))
				continue;
			to = section_of(out, s->section);
			r = to != NULL ? put_keys(&to->values, s->values, true)
				       : -ENOMEM;
		}
	return ow_inicfg_end(r, "sections");
}
