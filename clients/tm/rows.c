/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - a listing of xadmin as rows and named columns
 */
#include "clients/tm/rows.h"

#include <stdlib.h>
#include <string.h>

#include "clients/tm/run.h"

/* Cut the next value off *pos, its quotes resolved; *ret_last: it ends the
 * line. */
static char *take_value(char **pos, int *ret_last)
{
	char *in = *pos, *out = in, *value = in;
	int quoted = 0;

	while (*in != '\0' && (quoted || (*in != ',' && *in != '\n'))) {
		if (*in == '"' && quoted && in[1] == '"')
			*out++ = *in++;
		else if (*in == '"')
			quoted = !quoted;
		else
			*out++ = *in;
		in++;
	}
	*ret_last = *in != ',';
	*pos = *in != '\0' ? in + 1 : in;
	*out = '\0';
	return value;
}

/* Read one line into `cells`; the number of them. */
static size_t take_line(char **pos, char **cells)
{
	size_t n = 0;
	int last = 0;
	char *value;

	while (!last) {
		value = take_value(pos, &last);
		if (n < ROWS_COLUMNS)
			cells[n++] = value;
	}
	return n;
}

void rows_read(char *text, struct rows *ret)
{
	char *(*more)[ROWS_COLUMNS];
	char *pos = text;

	memset(ret, 0, sizeof(*ret));
	ret->text = text;
	if (text == NULL || *text == '\0')
		return;
	ret->n_columns = take_line(&pos, ret->head);
	while (*pos != '\0') {
		more = realloc(ret->cell, (ret->n + 1) * sizeof(*more));
		if (more == NULL)
			return;
		ret->cell = more;
		memset(more[ret->n], 0, sizeof(*more));
		take_line(&pos, more[ret->n]);
		ret->n++;
	}
}

void rows_free(struct rows *r)
{
	free(r->text);
	free(r->cell);
	memset(r, 0, sizeof(*r));
}

int rows_ask(const char *command, struct rows *ret)
{
	const char *const words[] = { "xadmin", command, "--csv", NULL };
	char *text = run_text(words);

	rows_read(text, ret);
	return text != NULL ? 0 : -1;
}

const char *rows_get(const struct rows *r, size_t row, const char *column)
{
	const char *value;

	for (size_t k = 0; k < r->n_columns; k++) {
		if (strcmp(r->head[k], column) != 0)
			continue;
		value = r->cell[row][k];
		return value != NULL ? value : "";
	}
	return "";
}

long rows_find(const struct rows *r, const char *column, const char *value)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(rows_get(r, i, column), value) == 0)
			return (long)i;
	return -1;
}
