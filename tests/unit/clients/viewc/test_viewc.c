/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_viewc.c - the program viewc, run as users do
 *
 * The path of the program is the first argument.
 */
#include "tests/unit/libubf/view_test.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *program;

/* Run in the folder with these arguments; output to "out"; exit status. */
static int run(const char *environment, const char *args)
{
	char cmd[1024];
	int status;

	snprintf(cmd, sizeof(cmd), "cd %s && env %s %s %s >out 2>&1",
		 view_dir.path, environment, program, args);
	status = system(cmd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int shell(const char *words)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), "cd %s && %s", view_dir.path, words);
	return system(cmd);
}

static void assert_has(const char *name, const char *part)
{
	static char got[65536];

	assert_int_equal(tmpdir_read(&view_dir, name, got, sizeof(got)), 0);
	if (strstr(got, part) == NULL)
		fail_msg("%s: '%s' does not have '%s'", name, got, part);
}

static void header_and_compiled_view_are_written(void **state)
{
	assert_int_equal(run("", "sample.v"), 0);
	assert_has("sample.h", "struct SAMPLE {\n\tshort one;\n\tlong two;\n");
	assert_has("sample.h", "\tshort C_seven;\t/* elements in use */\n"
		   "\tunsigned short L_seven[3];\t/* lengths */\n"
		   "\tchar seven[3][12];\n");
	assert_has("sample.V", "VIEW SAMPLE\n");
	assert_has("sample.V", "string\tseven\tSTRING\t3\tFSCL\t12\t"
		   "\"none at all\"\toffset=");
	assert_has("sample.V", "\n#@__ssize=");
	assert_has("out", "");
}

static void the_compiler_agrees_with_the_header(void **state)
{
	char test[600];

	if (shell("cc --version >/dev/null 2>&1") != 0)
		skip();
	assert_int_equal(run("", "sample.v"), 0);
	snprintf(test, sizeof(test), "#include <stddef.h>\n"
		 "#include \"sample.h\"\n#include \"sample.h\"\n"
		 "_Static_assert(sizeof(struct SAMPLE) == %zu, \"size\");\n"
		 "_Static_assert(offsetof(struct SAMPLE, eleven) == %zu, "
		 "\"offset\");\n", sizeof(struct SAMPLE),
		 offsetof(struct SAMPLE, eleven));
	assert_int_equal(tmpdir_write(&view_dir, "t.c", test), 0);
	assert_int_equal(shell("cc -Wall -Werror -fsyntax-only t.c"), 0);
}

static void compiled_views_load(void **state)
{
	assert_int_equal(run("", "-d . sample.v"), 0);
	setenv("VIEWFILES", "sample.V", 1);
	assert_int_equal(Bvsizeof((char *)"SAMPLE"), sizeof(struct SAMPLE));
	assert_int_equal(Bvsizeof((char *)"SMALL"), 1);
}

static void a_compiled_view_compiles_to_itself(void **state)
{
	assert_int_equal(run("", "sample.v"), 0);
	assert_int_equal(shell("cp sample.V again.v && cp sample.h was.h"), 0);
	assert_int_equal(run("", "again.v"), 0);
	assert_int_equal(shell("tail -n +2 sample.V >a && tail -n +2 again.V "
			       ">b && cmp a b"), 0);
	assert_int_equal(run("", "sample.V"), 1);
	assert_has("out", "is compiled already");
}

static void folders_and_ignored_options_are_taken(void **state)
{
	assert_int_equal(shell("mkdir sub"), 0);
	assert_int_equal(run("CC=/nowhere", "-d sub -L /x -b -O2 -m 0 "
			     "sample.v"), 0);
	assert_int_equal(shell("test -f sub/sample.V && rm -r sub"), 0);
	assert_int_equal(run("", "-d nowhere sample.v"), 1);
	assert_has("out", "nowhere/sample.V: No such file");
}

static void without_fields_no_table_is_needed(void **state)
{
	assert_int_equal(run("-u FLDTBLDIR", "sample.v"), 1);
	assert_has("out", "sample.v:4: field SHORT: FLDTBLDIR is not set");
	assert_int_equal(run("-u FLDTBLDIR", "-n sample.v"), 0);
	assert_has("sample.V", "short\tone\t-\t1\t-\t-\t-\toffset=0");
	assert_has("sample.V", "string\tseven\t-\t3\tCL\t12\t");
}

static void errors_are_reported_and_leave_the_old_files(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "x.v", "VIEW X\n"
				      "long a NOFIELD 1 F - -\nEND\n"), 0);
	assert_int_equal(tmpdir_write(&view_dir, "x.h", "old"), 0);
	assert_int_equal(run("", "x.v"), 1);
	assert_has("out", "x.v:2: there is no field 'NOFIELD'");
	assert_int_equal(tmpdir_write(&view_dir, "x.v", "VIEW X\n"
				      "long a - 1 - - -\nlong a - 1 - - -\n"),
			 0);
	assert_int_equal(run("", "x.v"), 1);
	assert_has("out", "x.v:3: a, or its C_");
	assert_int_equal(tmpdir_write(&view_dir, "x.v", "VIEW X\n"
				      "long a - 1 - - -\nEND\nVIEW X\n"
				      "long a - 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "x.v"), 1);
	assert_has("out", "x.v:5: view X is defined twice");
	assert_has("x.h", "old");
	assert_int_equal(tmpdir_write(&view_dir, "x.v", "# nothing\n"), 0);
	assert_int_equal(run("", "x.v"), 1);
	assert_has("out", "has no view");
	assert_int_equal(run("", "none.v"), 1);
	assert_has("out", "none.v: No such file");
	assert_int_equal(shell("test \"$(ls | grep -c tmp)\" = 0"), 0);
}

static void unknown_fields_and_types_are_refused(void **state)
{
	static const struct {
		const char *line, *says;
	} wrong[] = {
		{ "long a NOFIELD 1 - - -", "there is no field 'NOFIELD'" },
		{ "long a NOFIELD 1 S - -", "there is no field 'NOFIELD'" },
		{ "long a NOFIELD 1 C - -", "there is no field 'NOFIELD'" },
		{ "dec_t a LONG 1 - - -", "'dec_t' is not a type of views" },
		{ "ubf a UBF 1 - - -", "'ubf' is not a type of views" },
		{ "Long a LONG 1 - - -", "'Long' is not a type of views" },
	};
	char text[200];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "VIEW W\n%s\nEND\n",
			 wrong[i].line);
		assert_int_equal(tmpdir_write(&view_dir, "w.v", text), 0);
		assert_int_equal(run("", "w.v"), 1);
		assert_has("out", "w.v:2: ");
		assert_has("out", wrong[i].says);
		assert_int_equal(shell("test ! -e w.h && test ! -e w.V"), 0);
	}
	/* What is not mapped needs no field. */
	assert_int_equal(tmpdir_write(&view_dir, "w.v", "VIEW W\n"
				      "long a NOFIELD 1 N - -\n"
				      "long b LONG 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "w.v"), 0);
	assert_has("w.V", "long\tb\tLONG\t1\t-\t-\t-\t");
}

static void wrong_usage_is_reported(void **state)
{
	assert_int_equal(run("", ""), 2);
	assert_has("out", "usage:");
	assert_int_equal(run("", "-x sample.v"), 2);
	assert_int_equal(run("", "-m 1 sample.v"), 2);
	assert_has("out", "only mode 0");
	assert_int_equal(run("", "-h"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_and_compiled_view_are_written),
		cmocka_unit_test(the_compiler_agrees_with_the_header),
		cmocka_unit_test(compiled_views_load),
		cmocka_unit_test(a_compiled_view_compiles_to_itself),
		cmocka_unit_test(folders_and_ignored_options_are_taken),
		cmocka_unit_test(without_fields_no_table_is_needed),
		cmocka_unit_test(errors_are_reported_and_leave_the_old_files),
		cmocka_unit_test(unknown_fields_and_types_are_refused),
		cmocka_unit_test(wrong_usage_is_reported),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: test_viewc PROGRAM\n");
		return 2;
	}
	program = argv[1];
	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
