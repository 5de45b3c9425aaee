/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.c - a file that has lost what was on disk, and the operator's word
 */
#include "libndrx/storage/damage.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libubf/base/crc32.h"

#define REPORT	 ".damage"
#define ACCEPTED ".accepted"
#define REPAIRED ".repaired"
#define PATH	 4400

void ow_damage_say(struct ow_damage *d, const char *format, ...)
{
	size_t room = sizeof(d->text) - d->len;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(d->text + d->len, room, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n + 1 >= room) {
		d->text[d->len] = '\0';
		return;
	}
	d->len += (size_t)n;
	d->text[d->len++] = '\n';
	d->text[d->len] = '\0';
}

static void name_of(const char *path, const char *end, char to[PATH])
{
	snprintf(to, PATH, "%.4096s%s", path, end);
}

static int write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	int r = 0;

	if (f == NULL)
		return -errno;
	if (fputs(text, f) == EOF || fflush(f) != 0 || fsync(fileno(f)) != 0)
		r = -errno;
	if (fclose(f) != 0 && r == 0)
		r = -errno;
	return r;
}

static void word_of(const char *text, char to[16])
{
	snprintf(to, 16, "%08x\n", ow_crc32(text, strlen(text)));
}

static void note_place(const char *report);

bool ow_damage_is_accepted(const struct ow_damage *d, const char *path,
			   char *why, size_t size)
{
	char name[PATH], word[16], *is;
	bool same;
	int r;

	name_of(path, ACCEPTED, name);
	word_of(d->text, word);
	is = ow_damage_read(name);
	same = is != NULL && strcmp(is, word) == 0;
	free(is);
	if (same)
		return true;
	name_of(path, REPORT, name);
	r = write_text(name, d->text);
	if (r == 0)
		note_place(name);
	snprintf(why, size, "%.*s: nothing is given away: xadmin repair says "
		 "what is lost and what is kept, and how to go on%s",
		 (int)strcspn(d->text, "\n"), d->text,
		 r == 0 ? "" : " (its report could not be written)");
	return false;
}

void ow_damage_settle(const char *path)
{
	char from[PATH], to[PATH];

	name_of(path, REPORT, from);
	name_of(path, REPAIRED, to);
	(void)rename(from, to);
	name_of(path, ACCEPTED, from);
	(void)unlink(from);
}

void ow_damage_none(const char *path)
{
	char name[PATH];

	name_of(path, REPORT, name);
	(void)unlink(name);
	name_of(path, ACCEPTED, name);
	(void)unlink(name);
}

/* ---- for operators ---- */

char *ow_damage_read(const char *report)
{
	FILE *f = fopen(report, "re");
	char *text = calloc(1, OW_DAMAGE_TEXT);

	if (f != NULL && text != NULL &&
	    fread(text, 1, OW_DAMAGE_TEXT - 1, f) > 0) {
		fclose(f);
		return text;
	}
	if (f != NULL)
		fclose(f);
	free(text);
	return NULL;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

int ow_damage_accept(const char *report)
{
	char path[PATH], word[16], *text = ow_damage_read(report);

	if (text == NULL || !ends_with(report, REPORT)) {
		free(text);
		return -ENOENT;
	}
	word_of(text, word);
	free(text);
	snprintf(path, sizeof(path), "%.*s" ACCEPTED,
		 (int)(strlen(report) - strlen(REPORT)), report);
	return write_text(path, word);
}

/* ---- where reports are ---- */

#define LIST	 "log/damage.list"
#define MOST	 64

static void list_name(char to[PATH])
{
	snprintf(to, PATH, "%.4096s/" LIST, ow_env_str("NDRX_APPHOME", "."));
}

/* Once each. */
struct seen {
	ino_t inode[MOST];
	int n;
	void (*found)(const char *report, void *arg);
	void *arg;
};

static void see(struct seen *s, const char *report)
{
	struct stat st;
	int i;

	if (!ends_with(report, REPORT) || stat(report, &st) != 0)
		return;
	for (i = 0; i < s->n; i++)
		if (s->inode[i] == st.st_ino)
			return;
	if (s->n == MOST)
		return;
	s->inode[s->n++] = st.st_ino;
	s->found(report, s->arg);
}

static void see_folder(struct seen *s, const char *name)
{
	struct dirent **list = NULL;
	char folder[PATH], path[PATH + 300];
	int i, n;

	snprintf(folder, sizeof(folder), "%.4000s/%s",
		 ow_env_str("NDRX_APPHOME", "."), name);
	n = scandir(folder, &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		see(s, path);
		free(list[i]);
	}
	free(list);
}

static void note_place(const char *report)
{
	char name[PATH], full[PATH], *real = realpath(report, NULL);
	FILE *f;

	snprintf(full, sizeof(full), "%.4200s", real != NULL ? real : report);
	free(real);
	list_name(name);
	f = fopen(name, "ae");
	if (f == NULL)
		return;
	fprintf(f, "%s\n", full);
	fclose(f);
}

int ow_damage_each(void (*found)(const char *report, void *arg), void *arg)
{
	struct seen s = { .found = found, .arg = arg };
	char line[PATH];
	FILE *f;

	see_folder(&s, "qdata");
	see_folder(&s, "tmlogs");
	list_name(line);
	f = fopen(line, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		see(&s, line);
	}
	if (f != NULL)
		fclose(f);
	return s.n;
}
