/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_csv.c - the calls that make JSON make CSV, too
 */
#include "tests/unit/clients/xadmin/output/written.h"

static void begin(struct written *w)
{
	written_begin(w, true);
	ow_json_list_begin(&w->j, NULL);
}

static void assert_list(struct written *w, const char *want)
{
	ow_json_list_end(&w->j);
	assert_written(w, want);
}

static void the_first_line_names_the_columns_once(void **state)
{
	struct written f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 2; i++) {
		ow_json_row_begin(&f.j);
		ow_json_str(&f.j, "name", i == 0 ? "first" : "b");
		ow_json_int(&f.j, "n", -5 + i);
		ow_json_bool(&f.j, "up", i == 0);
		ow_json_row_end(&f.j);
	}
	assert_list(&f, "name,n,up\nfirst,-5,true\nb,-4,false\n");
}

static void special_characters_are_quoted(void **state)
{
	struct written f;

	(void)state;
	begin(&f);
	ow_json_row_begin(&f.j);
	ow_json_str(&f.j, "a", "x,y");
	ow_json_str(&f.j, "b", "say \"hi\"");
	ow_json_str(&f.j, "c", "two\nlines");
	ow_json_row_end(&f.j);
	assert_list(&f, "a,b,c\n"
			   "\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

static void empty_cells_keep_their_place(void **state)
{
	struct written f;

	(void)state;
	begin(&f);
	ow_json_row_begin(&f.j);
	ow_json_str(&f.j, "a", "");
	ow_json_str(&f.j, "b", "");
	ow_json_str(&f.j, "c", "x");
	ow_json_row_end(&f.j);
	assert_list(&f, "a,b,c\n\"\",,x\n");
}

static void a_list_is_one_cell(void **state)
{
	struct written f;

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
	assert_list(&f, "id,hist,end\n1,8 9 10,e\n1,8,e\n");
}

static void no_rows_are_no_lines(void **state)
{
	struct written f;

	(void)state;
	begin(&f);
	assert_list(&f, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_names_the_columns_once),
		cmocka_unit_test(special_characters_are_quoted),
		cmocka_unit_test(empty_cells_keep_their_place),
		cmocka_unit_test(a_list_is_one_cell),
		cmocka_unit_test(no_rows_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
