/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - listings for programs: one JSON array of objects, or CSV
 *
 * Each call writes at once; the only state is whether a comma is due. Strings
 * are escaped; bytes that are not UTF-8 become U+FFFD, so the result is valid
 * JSON whatever a name contains. With `as_csv` the same calls write rows of
 * comma-separated values (csv.h).
 */
#ifndef OW_JSON_H
#define OW_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define OW_JSON_DEPTH 8

struct ow_csv;

/* All zero but `out` and `as_csv`: nothing written yet. */
struct ow_json {
	FILE *out;
	int depth;
	bool comma[OW_JSON_DEPTH]; /* a comma is due at this depth */
	bool as_csv;
	struct ow_csv *csv; /* while a listing as CSV is open */
};

void ow_json_list_begin(struct ow_json *j, const char *key);
void ow_json_list_end(struct ow_json *j);
void ow_json_row_begin(struct ow_json *j);
void ow_json_row_end(struct ow_json *j);

/* Members of an object; `key` NULL: an element of a list. */
void ow_json_str(struct ow_json *j, const char *key, const char *value);
void ow_json_int(struct ow_json *j, const char *key, int64_t value);
void ow_json_uint(struct ow_json *j, const char *key, uint64_t value);
void ow_json_bool(struct ow_json *j, const char *key, bool value);

#endif
