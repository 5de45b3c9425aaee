/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - listings as comma-separated values, quoted as RFC 4180 says
 *
 * Lines end with a line feed, as all text here does. The first one names the
 * columns: the keys of the first row written. Lists within a row become one
 * cell, blanks between the items.
 */
#ifndef OW_CSV_H
#define OW_CSV_H

#include <stdio.h>

struct ow_csv;

/* NULL: no memory. The caller closes `out`. */
struct ow_csv *ow_csv_new(FILE *out);
struct ow_csv *ow_csv_free(struct ow_csv *c);

void ow_csv_row_begin(struct ow_csv *c);
void ow_csv_row_end(struct ow_csv *c);
/* Write a cell; within a list, an item of the list. */
void ow_csv_cell(struct ow_csv *c, const char *key, const char *value);
void ow_csv_list_begin(struct ow_csv *c, const char *key);
void ow_csv_list_end(struct ow_csv *c);

#endif
