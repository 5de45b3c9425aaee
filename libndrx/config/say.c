/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.c - errors and notices about a configuration, worded
 *
 * In one file, so that every message has the same form: file and line, the
 * element, what is wrong, how to correct it.
 */
#include "libndrx/config/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/config/value.h"

/* More notices than NOTICES_MAX are dropped: they repeat themselves. */
enum { WORD_MAX = 40, PATH_DEPTH = 6, NOTICES_MAX = 200 };

struct message {
	char *text;
	size_t size;
	size_t len;
};

static void add(struct message *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void vadd(struct message *m, const char *fmt, va_list ap)
{
	int n = vsnprintf(m->text + m->len, m->size - m->len, fmt, ap);

	if (n > 0)
		m->len += (size_t)n;
	if (m->len >= m->size)
		m->len = m->size - 1;
}

static void add(struct message *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vadd(m, fmt, ap);
	va_end(ap);
}

/* The elements from the section inwards: <server name="x">: <srvid>: */
static void add_path(struct message *m, const struct ow_config_node *node)
{
	const struct ow_config_node *path[PATH_DEPTH];
	int n = 0;

	for (const struct ow_config_node *p = node;
	     p != NULL && n < PATH_DEPTH; p = p->parent) {
		bool frame = p->parent == NULL ||
			     strcmp(p->name, "servers") == 0;

		if (p == node || !frame)
			path[n++] = p;
	}
	while (n-- > 0) {
		const char *name = ow_config_node_attr(path[n], "name");
		char shown[72];

		if (name == NULL)
			add(m, "<%.60s>: ", path[n]->name);
		else
			add(m, "<%.60s name=%s>: ", path[n]->name,
			    ow_value_quote(name, shown, sizeof(shown)));
	}
}

static void compose(struct message *m, const struct ow_config_node *node,
		    const char *fmt, va_list ap)
{
	const char *file = node->file;

	/* Of a long path the end is shown: it tells the file. */
	if (strlen(file) > 160)
		add(m, "...%s", file + strlen(file) - 157);
	else
		add(m, "%s", file);
	add(m, ":%u: ", node->line);
	add_path(m, node);
	vadd(m, fmt, ap);
}

int ow_config_fail(struct ow_config_check *check,
		   const struct ow_config_node *node, const char *fmt, ...)
{
	struct message m = { .text = check->err->text,
			     .size = sizeof(check->err->text) };
	va_list ap;

	va_start(ap, fmt);
	compose(&m, node, fmt, ap);
	va_end(ap);
	return OW_CONFIG_BAD;
}

int ow_config_no_memory(struct ow_config_check *check)
{
	snprintf(check->err->text, sizeof(check->err->text), "out of memory");
	return -ENOMEM;
}

/* A text that is expanded twice has the same notices twice. */
static bool is_said(const struct ow_config *config, const char *text)
{
	for (size_t i = 0; i < config->n_notices; i++)
		if (strcmp(config->notices[i], text) == 0)
			return true;
	return false;
}

int ow_config_notice(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *fmt, ...)
{
	struct ow_config *config = check->config;
	char text[512];
	struct message m = { .text = text, .size = sizeof(text) };
	const char **notices;
	char *copy;
	va_list ap;

	if (config->n_notices >= NOTICES_MAX)
		return 0;

	va_start(ap, fmt);
	compose(&m, node, fmt, ap);
	va_end(ap);
	if (is_said(config, text))
		return 0;
	copy = ow_arena_strdup(config->arena, text);
	notices = ow_arena_push(config->arena, check->notices,
				config->n_notices, sizeof(*notices));
	if (copy == NULL || notices == NULL)
		return ow_config_no_memory(check);
	notices[config->n_notices++] = copy;
	check->notices = notices;
	config->notices = notices;
	return 0;
}

/* Copy the next word of the list; false at its end. */
static bool next_word(const char **words, char word[WORD_MAX + 1])
{
	size_t n;

	*words += strspn(*words, " ");
	n = strcspn(*words, " ");
	if (n == 0 || n > WORD_MAX)
		return false;
	memcpy(word, *words, n);
	word[n] = '\0';
	*words += n;
	return true;
}

bool ow_config_word_in(const char *words, const char *word)
{
	char known[WORD_MAX + 1];

	while (next_word(&words, known)) {
		if (strcmp(known, word) == 0)
			return true;
	}
	return false;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Insertions, deletions and replacements from `a` to `b`. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1];
	size_t n = strlen(b);

	if (strlen(a) > WORD_MAX || n > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1,
					   diagonal + (a[i] != b[j]));
			diagonal = above;
		}
	}
	return row[n];
}

static bool nearest(const char *words, const char *name,
		    char ret_word[WORD_MAX + 1])
{
	char word[WORD_MAX + 1];
	size_t limit = strlen(name) < 4 ? 1 : 1 + strlen(name) / 3;
	size_t best = limit + 1;

	while (next_word(&words, word)) {
		size_t d = distance(name, word);

		if (d < best) {
			best = d;
			strcpy(ret_word, word);
		}
	}
	return best <= limit;
}

int ow_config_fail_element(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   const char *words)
{
	char word[WORD_MAX + 1];

	if (nearest(words, node->name, word))
		return ow_config_fail(check, node,
				      "is not known here; did you mean <%s>?",
				      word);
	return ow_config_fail(check, node, "is not known here; known are: %s",
			      *words == '\0' ? "no elements" : words);
}

int ow_config_fail_attr(struct ow_config_check *check,
			const struct ow_config_node *node, const char *name,
			const char *words)
{
	char word[WORD_MAX + 1];

	if (nearest(words, name, word))
		return ow_config_fail(check, node,
				      "attribute %.60s is not known; did you "
				      "mean %s?",
				      name, word);
	return ow_config_fail(check, node,
			      "attribute %.60s is not known; known are: %s",
			      name, *words == '\0' ? "none" : words);
}
