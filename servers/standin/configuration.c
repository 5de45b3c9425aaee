/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration.c - the service @CCONF: sections of the ini configuration
 */
#include "servers/standin/configuration.h"

#include <cconfig.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

/* Of conf/ubftab/Exfields. */
#define FIELD(type, number) ((BFLDID)((type) << 25 | (number)))
#define CMD	      FIELD(BFLD_CHAR, 240)
#define LOOKUPSECTION FIELD(BFLD_STRING, 241)
#define RESOURCE      FIELD(BFLD_STRING, 242)
#define MANDATORY     FIELD(BFLD_STRING, 243)
#define FORMAT_KEY    FIELD(BFLD_STRING, 244)
#define FORMAT	      FIELD(BFLD_STRING, 245)
#define SECTION	      FIELD(BFLD_STRING, 246)
#define KEY	      FIELD(BFLD_STRING, 247)
#define VALUE	      FIELD(BFLD_STRING, 248)
#define SECTIONMASK   FIELD(BFLD_STRING, 249)
#define ERROR_CODE    FIELD(BFLD_SHORT, 400)
#define ERROR_MSG     FIELD(BFLD_STRING, 401)

#define RESOURCES_MAX 64
#define ROOM	      (1 << 20)

/* A failure: its code (NE...) and text; code 0: none. */
struct problem {
	short code;
	char text[512];
};

static int fail(struct problem *p, int code, const char *what, const char *why)
{
	p->code = (short)code;
	snprintf(p->text, sizeof(p->text), "%.200s: %.200s", what, why);
	return -1;
}

/* ---- the request ---- */

static char *text_of(UBFH *in, BFLDID id, BFLDOCC occ)
{
	return Bfind(in, id, occ, NULL);
}

/* The values of a field, ended by NULL. */
static void list_of(UBFH *in, BFLDID id, char *ret[RESOURCES_MAX + 1])
{
	BFLDOCC n = Boccur(in, id), i;

	if (n > RESOURCES_MAX)
		n = RESOURCES_MAX;
	for (i = 0; i < n; i++)
		ret[i] = text_of(in, id, i);
	ret[n > 0 ? n : 0] = NULL;
}

static int open_files(UBFH *in, ndrx_inicfg_t **ret, struct problem *p)
{
	char *files[RESOURCES_MAX + 1];
	ndrx_inicfg_t *cfg = ndrx_inicfg_new();
	int r = cfg != NULL ? 0 : -1;

	list_of(in, RESOURCE, files);
	if (r == 0 && files[0] == NULL)
		r = ndrx_cconfig_load_general(&cfg);
	for (size_t i = 0; r == 0 && files[i] != NULL; i++)
		r = ndrx_inicfg_add(cfg, files[i], NULL);
	*ret = cfg;
	return r == 0 ? 0 : fail(p, Nerror, "configuration", Nstrerror(Nerror));
}

/* ---- checks ---- */

static bool is_number(const char *value, bool whole)
{
	char *end;

	if (whole)
		(void)strtol(value, &end, 10);
	else
		(void)strtod(value, &end);
	return end != value && *end == '\0';
}

/* t; or s, i, n and X..Y: how many characters. */
static bool has_format(const char *value, const char *format)
{
	long least = 0, most = 0, len = (long)strlen(value);

	if (format[0] == 't')
		return len == 1 && strchr("yYnN", value[0]) != NULL;
	if (strchr("sin", format[0]) == NULL || format[0] == '\0' ||
	    sscanf(format + 1, "%ld..%ld", &least, &most) != 2 ||
	    len < least || len > most)
		return false;
	return format[0] == 's' || is_number(value, format[0] == 'i');
}

static int check(UBFH *in, ndrx_inicfg_section_keyval_t *keys,
		 struct problem *p)
{
	ndrx_inicfg_section_keyval_t *kv;
	char *key, *format;

	for (BFLDOCC i = 0; (key = text_of(in, MANDATORY, i)) != NULL; i++)
		if (ndrx_keyval_hash_get(keys, key) == NULL)
			return fail(p, NEMANDATORY, key, "mandatory, and not "
				    "there");
	for (BFLDOCC i = 0; (key = text_of(in, FORMAT_KEY, i)) != NULL; i++) {
		format = text_of(in, FORMAT, i);
		kv = ndrx_keyval_hash_get(keys, key);
		if (format == NULL)
			return fail(p, NEINVAL, key, "has no format");
		if (kv != NULL && !has_format(kv->val, format))
			return fail(p, NEFORMAT, key, format);
	}
	return 0;
}

/* ---- the answer ---- */

static int put(UBFH *out, const char *section, const char *key,
	       const char *value, struct problem *p)
{
	if (Bchg(out, SECTION, -1, (char *)section, 0) == 0 &&
	    (key == NULL || (Bchg(out, KEY, -1, (char *)key, 0) == 0 &&
			     Bchg(out, VALUE, -1, (char *)value, 0) == 0)))
		return 0;
	return fail(p, NEMALLOC, "answer", Bstrerror(Berror));
}

static int get(UBFH *in, ndrx_inicfg_t *cfg, UBFH *out, struct problem *p)
{
	ndrx_inicfg_section_keyval_t *keys = NULL, *kv;
	char *name = text_of(in, LOOKUPSECTION, 0);
	int r = 0;

	if (name == NULL)
		return fail(p, NEINVAL, "EX_CC_LOOKUPSECTION", "is not given");
	if (ndrx_inicfg_get_subsect(cfg, NULL, name, &keys) != 0)
		r = fail(p, Nerror, name, Nstrerror(Nerror));
	if (r == 0)
		r = check(in, keys, p);
	for (kv = keys; r == 0 && kv != NULL; kv = kv->hh.next)
		r = put(out, kv->section, kv->key, kv->val, p);
	ndrx_keyval_hash_free(keys);
	return r;
}

static int list(UBFH *in, ndrx_inicfg_t *cfg, UBFH *out, struct problem *p)
{
	ndrx_inicfg_section_t *sections = NULL, *s;
	char *masks[RESOURCES_MAX + 1];
	int r;

	list_of(in, SECTIONMASK, masks);
	r = ndrx_inicfg_iterate(cfg, NULL, masks[0] != NULL ? masks : NULL,
				&sections);
	if (r != 0)
		r = fail(p, Nerror, "sections", Nstrerror(Nerror));
	for (s = sections; r == 0 && s != NULL; s = s->hh.next)
		r = put(out, s->section, NULL, NULL, p);
	ndrx_inicfg_sections_free(sections);
	return r;
}

static void answer(UBFH *in, UBFH *out, struct problem *p)
{
	ndrx_inicfg_t *cfg = NULL;
	char cmd = '\0';

	if (Bget(in, CMD, 0, &cmd, NULL) != 0 || strchr("gl", cmd) == NULL)
		fail(p, NEINVAL, "EX_CC_CMD", "give g or l");
	else if (open_files(in, &cfg, p) == 0)
		(void)(cmd == 'g' ? get : list)(in, cfg, out, p);
	ndrx_inicfg_free(cfg);
}

void configuration_answer(TPSVCINFO *svc)
{
	struct problem p = { .code = 0 };
	char *out = tpalloc((char *)"UBF", NULL, ROOM);

	if (out == NULL)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	if (svc->data == NULL || Bisubf((UBFH *)svc->data) != 1)
		fail(&p, NEINVAL, "the request", "is no UBF buffer");
	else
		answer((UBFH *)svc->data, (UBFH *)out, &p);
	Bchg((UBFH *)out, ERROR_CODE, 0, (char *)&p.code, 0);
	if (p.code != 0)
		Bchg((UBFH *)out, ERROR_MSG, 0, p.text, 0);
	tpreturn(p.code == 0 ? TPSUCCESS : TPFAIL, p.code, out, 0, 0);
}
