/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_csv.c - the calls that make JSON make CSV, too
 */
#include "clients/xadmin/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct ow_json j;
	char *text;
	size_t size;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->j.out = open_memstream(&f->text, &f->size);
	f->j.as_csv = true;
	ow_json_list_begin(&f->j, NULL);
}

static void assert_written(struct fixture *f, const char *want)
{
	ow_json_list_end(&f->j);
	fclose(f->j.out);
	assert_string_equal(f->text, want);
	free(f->text);
}

static void the_first_line_names_the_columns_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 2; i++) {
		ow_json_row_begin(&f.j);
		ow_json_str(&f.j, "name", i == 0 ? "first" : "b");
		ow_json_int(&f.j, "n", -5 + i);
		ow_json_bool(&f.j, "up", i == 0);
		ow_json_row_end(&f.j);
	}
	assert_written(&f, "name,n,up\nfirst,-5,true\nb,-4,false\n");
}

static void what_csv_could_misread_stands_in_quotes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	ow_json_row_begin(&f.j);
	ow_json_str(&f.j, "a", "x,y");
	ow_json_str(&f.j, "b", "say \"hi\"");
	ow_json_str(&f.j, "c", "two\nlines");
	ow_json_row_end(&f.j);
	assert_written(&f, "a,b,c\n"
			   "\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

static void empty_cells_keep_their_place(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	ow_json_row_begin(&f.j);
	ow_json_str(&f.j, "a", "");
	ow_json_str(&f.j, "b", "");
	ow_json_str(&f.j, "c", "x");
	ow_json_row_end(&f.j);
	assert_written(&f, "a,b,c\n\"\",,x\n");
}

static void a_list_is_one_cell(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 2; i++) {
		ow_json_row_begin(&f.j);
		ow_json_uint(&f.j, "id", 1);
		ow_json_list_begin(&f.j, "hist");
		for (unsigned int k = 0; k < 3 - 2 * (unsigned int)i; k++)
			ow_json_uint(&f.j, NULL, k + 8);
		ow_json_list_end(&f.j);
		ow_json_str(&f.j, "end", "e");
		ow_json_row_end(&f.j);
	}
	assert_written(&f, "id,hist,end\n1,8 9 10,e\n1,8,e\n");
}

static void no_rows_are_no_lines(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_written(&f, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_names_the_columns_once),
		cmocka_unit_test(what_csv_could_misread_stands_in_quotes),
		cmocka_unit_test(empty_cells_keep_their_place),
		cmocka_unit_test(a_list_is_one_cell),
		cmocka_unit_test(no_rows_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
