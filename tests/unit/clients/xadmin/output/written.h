/* SPDX-License-Identifier: Apache-2.0 */
/*
 * written.h - a listing for programs, and what has been written of it
 */
#ifndef OW_TEST_WRITTEN_H
#define OW_TEST_WRITTEN_H

#include "clients/xadmin/output/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct written {
	struct ow_json j;
	char *text;
	size_t size;
};

static inline void written_begin(struct written *w, bool as_csv)
{
	memset(w, 0, sizeof(*w));
	w->j.out = open_memstream(&w->text, &w->size);
	assert_non_null(w->j.out);
	w->j.as_csv = as_csv;
}

static inline void assert_written(struct written *w, const char *want)
{
	fclose(w->j.out);
	assert_string_equal(w->text, want);
	free(w->text);
}

#endif
