/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - names of files that complete a word of the prompt
 */
#include "clients/xadmin/prompt/files.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Characters that end or change a word (args.c). */
#define SPECIAL " \t\\\"'#"

#define NAME_SIZE (PATH_MAX + 260) /* a folder and a name in it */

size_t ow_files_word(const char *line)
{
	size_t i, begin = 0;
	char quote = '\0';

	for (i = 0; line[i] != '\0'; i++) {
		if (line[i] == '\\' && quote != '\'' && line[i + 1] != '\0')
			i++;
		else if (line[i] == quote)
			quote = '\0';
		else if (quote == '\0' && (line[i] == '"' || line[i] == '\''))
			quote = line[i];
		else if (quote == '\0' && (line[i] == ' ' || line[i] == '\t'))
			begin = i + 1;
	}
	return begin;
}

/* The word without its quotes and backslashes; false: it is too long. */
static bool plain(const char *word, char path[PATH_MAX])
{
	char quote = '\0';
	size_t n = 0;

	for (; *word != '\0'; word++) {
		if (*word == quote) {
			quote = '\0';
			continue;
		}
		if (quote == '\0' && (*word == '"' || *word == '\'')) {
			quote = *word;
			continue;
		}
		if (*word == '\\' && quote != '\'' && word[1] != '\0')
			word++;
		if (n + 1 >= PATH_MAX)
			return false;
		path[n++] = *word;
	}
	path[n] = '\0';
	return true;
}

/* Write a path as it must be typed; `quote`: the quote that the word begins
 * with, or '\0'. */
static void typed(const char *path, char quote, bool closed, char *buf,
		  size_t size)
{
	size_t n = 0;

	if (quote != '\0')
		buf[n++] = quote;
	for (; *path != '\0' && n + 3 < size; path++) {
		if (quote == '\0' ? strchr(SPECIAL, *path) != NULL
				  : quote == '"' && (*path == '"' ||
						     *path == '\\'))
			buf[n++] = '\\';
		buf[n++] = *path;
	}
	if (quote != '\0' && closed)
		buf[n++] = quote;
	buf[n] = '\0';
}

static void offer(const char *path, const char *word, ow_complete_fn *fn,
		  void *arg)
{
	char quote = *word == '"' || *word == '\'' ? *word : '\0';
	char full[NAME_SIZE + 2], text[2 * NAME_SIZE + 8];
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	snprintf(full, sizeof(full), "%s%s", path, folder ? "/" : "");
	typed(full, quote, !folder, text, sizeof(text));
	fn(text, arg);
}

void ow_files_complete(const char *word, ow_complete_fn *fn, void *arg)
{
	char path[PATH_MAX], name[NAME_SIZE], folder[PATH_MAX];
	const char *base, *slash;
	struct dirent *e;
	int head;
	DIR *dir;

	if (!plain(word, path))
		return;
	slash = strrchr(path, '/');
	base = slash != NULL ? slash + 1 : path;
	head = (int)(base - path);
	snprintf(folder, sizeof(folder), "%.*s", head, path);
	dir = opendir(head > 0 ? folder : ".");
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, base, strlen(base)) != 0 ||
		    (e->d_name[0] == '.' && *base != '.') ||
		    strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", folder, e->d_name);
		offer(name, word, fn, arg);
	}
	if (dir != NULL)
		closedir(dir);
}
