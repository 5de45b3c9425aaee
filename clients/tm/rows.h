/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - a listing of xadmin as rows and named columns
 */
#ifndef OW_TM_ROWS_H
#define OW_TM_ROWS_H

#include <stddef.h>

#define ROWS_COLUMNS 64

struct rows {
	char *text; /* owns all cells */
	char *head[ROWS_COLUMNS];
	size_t n_columns;
	char *(*cell)[ROWS_COLUMNS];
	size_t n;
};

/* Read comma-separated values; takes `text`, which may be NULL. */
void rows_read(char *text, struct rows *ret);
void rows_free(struct rows *r);
/* Run `xadmin COMMAND --csv`: 0, or -1 and no rows. */
int rows_ask(const char *command, struct rows *ret);
/* A cell; "" where there is no such column. */
const char *rows_get(const struct rows *r, size_t row, const char *column);
/* The row in which the column has the value; -1: none. */
long rows_find(const struct rows *r, const char *column, const char *value);

#endif
