/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.c - the ini configuration that NDRX_CCONFIG names
 */
#include "libubf/base/cconfig.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/ini.h"
#include "libubf/base/variable.h"

#define LEVELS_MAX 16 /* of sub-sections */
#define LEVEL_SIZE 256

/* What has become of the ${...} in an item. */
enum { NOT_YET, IN_PROGRESS, DONE, LEFT_OUT };

static ow_cconfig_decrypt_fn *decrypt;
static ow_cconfig_forget_fn *forget;

static const char *const sources[OW_CCONFIG_SOURCES] = {
	"NDRX_CCONFIG",	 "NDRX_CCONFIG1", "NDRX_CCONFIG2",
	"NDRX_CCONFIG3", "NDRX_CCONFIG4", "NDRX_CCONFIG5",
};

struct reading {
	struct ow_cconfig *c;
	char levels[LEVELS_MAX][LEVEL_SIZE]; /* sections; later ones win */
	int n_levels;
};

static void complain(const char *what, const char *why)
{
	fprintf(stderr, "configuration %s: %s\n", what, why);
}

/* Of a program with rights that its user does not have: none. */
static const char *variable(const char *name)
{
	const char *value = ow_variable(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* ---- sections ---- */

static void add_level(struct reading *r, const char *section, const char *tags)
{
	if (r->n_levels < LEVELS_MAX)
		snprintf(r->levels[r->n_levels++], LEVEL_SIZE, "%s%s%s",
			 section, *tags != '\0' ? "/" : "", tags);
}

/* [@name], [@name/TAG1], [@name/TAG2], [@name/TAG1/TAG2]. */
static void find_levels(struct reading *r, const char *section,
			const char *tags)
{
	char copy[LEVEL_SIZE], *tag, *save = NULL;

	add_level(r, section, "");
	if (tags == NULL)
		return;
	snprintf(copy, sizeof(copy), "%s", tags);
	for (tag = strtok_r(copy, "/", &save); tag != NULL;
	     tag = strtok_r(NULL, "/", &save))
		add_level(r, section, tag);
	if (strchr(tags, '/') != NULL)
		add_level(r, section, tags);
}

static struct ow_cconfig_item *find(const struct ow_cconfig *c,
				    const char *key, size_t len)
{
	for (size_t i = 0; i < c->n; i++)
		if (strncmp(c->items[i].key, key, len) == 0 &&
		    c->items[i].key[len] == '\0')
			return &c->items[i];
	return NULL;
}

/* The item of the key, made when it is not there. NULL: no memory. */
static struct ow_cconfig_item *item_of(struct ow_cconfig *c, const char *key)
{
	struct ow_cconfig_item *item = find(c, key, strlen(key)), *all;

	if (item != NULL)
		return item;
	all = realloc(c->items, (c->n + 1) * sizeof(*all));
	if (all == NULL)
		return NULL;
	c->items = all;
	item = &all[c->n];
	*item = (struct ow_cconfig_item){ .key = strdup(key), .level = -1 };
	if (item->key == NULL)
		return NULL;
	c->n++;
	return item;
}

static int take(void *arg, const char *section, const char *key,
		const char *value)
{
	struct reading *r = arg;
	struct ow_cconfig_item *item;
	char *copy;
	int level = r->n_levels - 1;

	while (level >= 0 && strcmp(r->levels[level], section) != 0)
		level--;
	if (level < 0)
		return 0;
	item = item_of(r->c, key);
	if (item == NULL)
		return -ENOMEM;
	if (item->level > level)
		return 0;
	copy = strdup(value);
	if (copy == NULL)
		return -ENOMEM;
	free(item->value);
	item->value = copy;
	item->level = level;
	return 0;
}

/* ---- files ---- */

static int is_ini(const struct dirent *d)
{
	static const char *const ends[] = { ".ini", ".cfg", ".conf",
					    ".config" };
	const char *dot = strrchr(d->d_name, '.');

	for (size_t i = 0; dot != NULL && i < 4; i++)
		if (strcmp(dot, ends[i]) == 0)
			return 1;
	return 0;
}

static int read_file(const char *path, ow_ini_fn *give, void *arg,
		     void (*wrong)(const char *path, const char *why))
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char why[80];
	unsigned int bad = 0;
	int result = f != NULL ? ow_ini_read(f, give, arg, &bad) : -errno;

	snprintf(why, sizeof(why), "line %u is no [SECTION] and no KEY=VALUE, and "
		 "is left out", bad);
	if (wrong != NULL && (result < 0 || bad > 0))
		wrong(path, result < 0 ? strerror(-result) : why);
	return result;
}

int ow_cconfig_source(const char *path, ow_ini_fn *give, void *arg,
		      void (*wrong)(const char *path, const char *why))
{
	struct dirent **names = NULL;
	int i, n = scandir(path, &names, is_ini, alphasort), r, first = 0;
	char *file;

	if (n < 0)
		return read_file(path, give, arg, wrong);
	for (i = 0; i < n; i++) {
		if (asprintf(&file, "%s/%s", path, names[i]->d_name) >= 0) {
			r = read_file(file, give, arg, wrong);
			first = first != 0 ? first : r;
			free(file);
		}
		free(names[i]);
	}
	free(names);
	return first;
}

const char *ow_cconfig_source_path(size_t number)
{
	return number < OW_CCONFIG_SOURCES ? variable(sources[number]) : NULL;
}

/* TUXCONFIG, unless it is of Tuxedo. */
static void read_tuxconfig(struct reading *r)
{
	const char *path = variable("TUXCONFIG");
	char line[sizeof(OW_CCONFIG_MARK)] = "";
	bool ours;
	FILE *f;

	if (path == NULL || variable("NDRX_QPREFIX") != NULL)
		return;
	f = fopen(path, "re");
	if (f == NULL)
		return;
	ours = fgets(line, sizeof(line), f) != NULL &&
	       strcmp(line, OW_CCONFIG_MARK) == 0;
	fclose(f);
	if (ours)
		read_file(path, take, r, complain);
}

static void read_sources(struct reading *r)
{
	bool any = false;

	for (size_t i = 0; i < OW_CCONFIG_SOURCES; i++) {
		const char *path = ow_cconfig_source_path(i);

		if (path != NULL)
			ow_cconfig_source(path, take, r, complain);
		any |= path != NULL;
	}
	if (!any)
		read_tuxconfig(r);
}

/* ---- values ---- */

void ow_cconfig_decrypt_by(ow_cconfig_decrypt_fn *fn,
			   ow_cconfig_forget_fn *forget_fn)
{
	decrypt = fn;
	forget = forget_fn;
}

static void forget_key(struct ow_cconfig *c)
{
	if (c->key != NULL)
		forget(c->key);
	c->key = NULL;
}

static void expand(struct ow_cconfig *c, struct ow_cconfig_item *item);

/* Write what an encrypted text stands for. False: nobody knows it. */
static bool put_decrypted(struct ow_cconfig *c, struct ow_cconfig_item *of,
			  const char *text, size_t len, FILE *out)
{
	char *plain = NULL, why[OW_CCONFIG_WHY], all[OW_CCONFIG_WHY + 64];

	if (decrypt == NULL)
		return false;
	if (decrypt(&c->key, text, len, &plain, why) != 0) {
		snprintf(all, sizeof(all), "${dec=...}: %s; the key is left "
			 "out", why);
		complain(of->key, all);
		return false;
	}
	of->hidden = true;
	fputs(plain, out);
	explicit_bzero(plain, strlen(plain));
	free(plain);
	return true;
}

/* Write what ${NAME} stands for. False: it cannot be decrypted. */
static bool put_name(struct ow_cconfig *c, struct ow_cconfig_item *of,
		     const char *name, size_t len, FILE *out)
{
	struct ow_cconfig_item *item = find(c, name, len);
	char plain[LEVEL_SIZE];
	const char *value;

	if (len > 4 && strncmp(name, "dec=", 4) == 0)
		return put_decrypted(c, of, name + 4, len - 4, out);
	if (item != NULL)
		expand(c, item);
	if (item != NULL && item->expanded == LEFT_OUT)
		return false;
	if (item != NULL && item->expanded == DONE) {
		of->hidden |= item->hidden;
		fputs(item->value, out);
		return true;
	}
	/* A key that is being expanded stands for the variable. */
	snprintf(plain, sizeof(plain), "%.*s", (int)len, name);
	value = variable(plain);
	if (value != NULL)
		fputs(value, out);
	return true;
}

static bool put_expanded(struct ow_cconfig *c, struct ow_cconfig_item *item,
			 FILE *out)
{
	const char *in = item->value, *end;

	while (*in != '\0') {
		end = strncmp(in, "${", 2) == 0 ? strchr(in, '}') : NULL;
		if (strncmp(in, "\\${", 3) == 0) {
			fputs("${", out);
			in += 3;
		} else if (end != NULL) {
			if (!put_name(c, item, in + 2,
				      (size_t)(end - in - 2), out))
				return false;
			in = end + 1;
		} else {
			putc(*in++, out);
		}
	}
	return true;
}

static void expand(struct ow_cconfig *c, struct ow_cconfig_item *item)
{
	bool known = true;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (item->expanded != NOT_YET)
		return;
	item->expanded = IN_PROGRESS;
	out = open_memstream(&text, &len);
	if (out != NULL) {
		known = put_expanded(c, item, out);
		fclose(out);
	}
	if (text != NULL) {
		free(item->value);
		item->value = text;
	}
	item->expanded = known ? DONE : LEFT_OUT;
}

int ow_cconfig_expanded(const char *key, const char *value, char **ret)
{
	struct ow_cconfig none = { .n = 0 };
	struct ow_cconfig_item item = { .key = (char *)key,
					.value = strdup(value) };

	if (item.value == NULL)
		return -ENOMEM;
	expand(&none, &item);
	forget_key(&none);
	if (item.expanded == LEFT_OUT) {
		free(item.value);
		return OW_CCONFIG_LEFT_OUT;
	}
	*ret = item.value;
	return 0;
}

/* ---- a section as a whole ---- */

static void gather(const char *section, const char *tags,
		   struct ow_cconfig *ret)
{
	struct reading r = { .c = ret };

	*ret = (struct ow_cconfig){ .n = 0 };
	find_levels(&r, section, tags != NULL ? tags : variable("NDRX_CCTAG"));
	read_sources(&r);
}

/* Expand all values; keys whose value nobody knows are as if they were not
 * there. */
static void finish(struct ow_cconfig *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		expand(c, &c->items[i]);
	forget_key(c);
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].expanded != LEFT_OUT) {
			c->items[n++] = c->items[i];
			continue;
		}
		free(c->items[i].key);
		free(c->items[i].value);
	}
	c->n = n;
}

void ow_cconfig_read(const char *section, struct ow_cconfig *ret)
{
	ow_cconfig_read_tagged(section, NULL, ret);
}

void ow_cconfig_read_tagged(const char *section, const char *tags,
			    struct ow_cconfig *ret)
{
	gather(section, tags, ret);
	finish(ret);
}

void ow_cconfig_free(struct ow_cconfig *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].key);
		free(c->items[i].value);
	}
	free(c->items);
	*c = (struct ow_cconfig){ .n = 0 };
}

const char *ow_cconfig_value(const struct ow_cconfig *c, const char *key)
{
	struct ow_cconfig_item *item = find(c, key, strlen(key));

	return item != NULL ? item->value : NULL;
}

/* Where the key of encrypted values comes from may stand beside them. */
static void set_key_names(struct ow_cconfig *c)
{
	static const char *const names[] = { "NDRX_PLUGINS", "NDRX_ENCKEYFILE",
					     "NDRX_ENCKEYCMD" };
	struct ow_cconfig_item *item;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		item = find(c, names[i], strlen(names[i]));
		if (item != NULL)
			expand(c, item);
		if (item != NULL && item->expanded == DONE)
			setenv(names[i], item->value, 1);
	}
	forget_key(c); /* it may be another one now */
}

/* Names of variables, each with a NUL; the last one is "". */
static char *hidden;

static void remember_hidden(const struct ow_cconfig *c)
{
	size_t len = 0;
	FILE *out;

	free(hidden);
	hidden = NULL;
	out = open_memstream(&hidden, &len);
	if (out == NULL)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].hidden)
			fwrite(c->items[i].key, 1,
			       strlen(c->items[i].key) + 1, out);
	putc('\0', out);
	fclose(out);
}

bool ow_cconfig_is_hidden(const char *name)
{
	const char *p = hidden;

	while (p != NULL && *p != '\0' && strcmp(p, name) != 0)
		p += strlen(p) + 1;
	return p != NULL && *p != '\0';
}

__attribute__((constructor)) void ow_cconfig_load(void)
{
	struct ow_cconfig c;
	const char *folder;

	gather("@global", NULL, &c);
	set_key_names(&c);
	finish(&c);
	for (size_t i = 0; i < c.n; i++)
		setenv(c.items[i].key, c.items[i].value, 1);
	remember_hidden(&c);
	ow_cconfig_free(&c);
	ow_cconfig_read("@ubfdb", &c);
	folder = ow_cconfig_value(&c, "resource");
	if (folder != NULL)
		setenv("NDRX_UBFDB", folder, 1);
	ow_cconfig_free(&c);
}
