/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_viewc.c - the programs viewc and viewdis, run as users do
 *
 * The paths of the programs are the arguments.
 */
#include "tests/unit/libubf/view_test.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *program, *viewdis;

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

/* The same for viewdis. */
static int dis(const char *args)
{
	const char *viewc = program;
	int r;

	program = viewdis;
	r = run("", args);
	program = viewc;
	return r;
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
	assert_int_equal(run("-u FIELDTBLS", "sample.v"), 1);
	assert_has("out", "sample.v:4: field SHORT: FIELDTBLS is not set");
	assert_int_equal(run("-u FIELDTBLS", "-n sample.v"), 0);
	assert_has("sample.V", "short\tone\tSHORT\t1\tFS\t-\t-\toffset=0");
	assert_has("sample.V", "string\tseven\tSTRING\t3\tFSCL\t12\t");
}

static void errors_are_reported_and_leave_the_old_files(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "x.v", "VIEW X\n"
				      "long a NOFIELD 1 F - -\nEND\n"), 0);
	assert_int_equal(tmpdir_write(&view_dir, "x.h", "old"), 0);
	assert_int_equal(run("", "x.v"), 1);
	assert_has("out", "x.v:2: there is no field 'NOFIELD'");
	assert_int_equal(run("FIELDTBLS=none.fd", "x.v"), 1);
	assert_has("out", "'NOFIELD' (field table none.fd is in no folder");
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

static void a_null_value_that_is_cut_is_a_warning(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "cut.v", "VIEW CUT\n"
				      "string a - 1 - 3 \"@@@@\"\nEND\n"), 0);
	assert_int_equal(run("", "cut.v"), 0);
	assert_has("out", "cut.v:2: warning: null value \"@@@@\" is cut: a has "
		   "3 bytes");
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

static void output_is_named_without_what_the_input_ends_in(void **state)
{
	assert_int_equal(shell("cp sample.v x.v_in; cp sample.v a.b.txt; "
			       "cp sample.v plain"), 0);
	assert_int_equal(run("", "x.v_in a.b.txt plain"), 0);
	assert_int_equal(shell("test -f x.h && test -f x.V && test -f a.b.h && "
			       "test -f plain.h && test -f plain.V"), 0);
}

static void a_type_of_a_dash_is_that_of_the_field(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "d.v", "VIEW D\n"
				      "- a LONG 1 - - -\n"
				      "- b STRING 1 - 9 -\nEND\n"), 0);
	assert_int_equal(run("", "d.v"), 0);
	assert_has("d.h", "\tlong a;\n\tchar b[9];\n");
	assert_has("d.V", "long\ta\tLONG\t");
	assert_int_equal(tmpdir_write(&view_dir, "d.v", "VIEW D\n"
				      "- a UBF 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "d.v"), 1);
	assert_has("out", "d.v:2: field UBF is a ubf, which is not a type");
	assert_int_equal(tmpdir_write(&view_dir, "d.v", "VIEW D\n"
				      "- a NOFIELD 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "d.v"), 1);
	assert_has("out", "there is no field 'NOFIELD'");
	assert_int_equal(tmpdir_write(&view_dir, "d.v", "VIEW D\n"
				      "- a - 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "d.v"), 1);
	assert_has("out", "'-' is not a type of views");
}

static void dollar_lines_go_to_the_header(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "t.v", "$/* first */\n"
				      "# left out\nVIEW T\n$/* inside */\r\n"
				      "long a - 1 - - -\nEND\n"
				      "$/* second */\nVIEW U\n"
				      "long a - 1 - - -\nEND\n$/* last */\n"),
			 0);
	assert_int_equal(run("", "t.v"), 0);
	assert_has("t.h", "/* first */\n/* inside */\nstruct T {\n\tlong a;\n"
		   "};\n\n/* second */\nstruct U {\n\tlong a;\n};\n\n"
		   "/* last */\n#endif\n");
}

static void flags_add_members_to_the_header(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "f.v", "VIEW F\n"
				      "string a STRING 1 - 9 -\n"
				      "string b STRING 2 C 9 -\n"
				      "string c STRING 2 L 9 -\n"
				      "carray d CARRAY 1 CL 9 -\n"
				      "string e STRING 1 P 9 '-'\n"
				      "string f STRING 1 N 9 -\n"
				      "string g STRING 1 F 9 -\n"
				      "string h STRING 1 S 9 -\nEND\n"), 0);
	assert_int_equal(run("", "f.v"), 0);
	assert_has("f.h", "struct F {\n\tchar a[9];\n"
		   "\tshort C_b;\t/* elements in use */\n\tchar b[2][9];\n"
		   "\tunsigned short L_c[2];\t/* lengths */\n"
		   "\tchar c[2][9];\n"
		   "\tshort C_d;\t/* elements in use */\n"
		   "\tunsigned short L_d;\t/* length */\n\tchar d[9];\n"
		   "\tchar e[9];\n\tchar f[9];\n\tchar g[9];\n"
		   "\tchar h[9];\n};\n");
}

static void viewdis_prints_what_viewc_takes(void **state)
{
	assert_int_equal(run("", "sample.v"), 0);
	assert_int_equal(dis("sample.V"), 0);
	assert_has("out", "VIEW SAMPLE\n#type\tcname\t");
	assert_has("out", "string\tseven\tSTRING\t3\tFSCL\t12\t"
		   "\"none at all\"\t# offset ");
	assert_has("out", "\nVIEW SMALL\n");
	assert_int_equal(shell("cp out again.v && cp sample.h was.h"), 0);
	assert_int_equal(run("", "again.v"), 0);
	assert_int_equal(shell("tail -n +2 sample.V >a && tail -n +2 again.V "
			       ">b && cmp a b"), 0);
	assert_int_equal(dis("sample.v"), 1);
	assert_has("out", "sample.v: view SAMPLE is not compiled");
	assert_int_equal(dis("none.V"), 1);
	assert_has("out", "viewdis: none.V: No such file");
	assert_int_equal(dis(""), 2);
	assert_int_equal(dis("-x"), 2);
	assert_int_equal(dis("--help"), 0);
}

static void copy_files_of_cobol_have_the_layout_of_the_structure(void **state)
{
	assert_int_equal(tmpdir_write(&view_dir, "c.v", "VIEW cust\n"
				      "char kind CHAR 1 - - -\n"
				      "long emp_id LONG 1 - - -\n"
				      "float salary FLOAT 2 C - -\n"
				      "string name STRING 1 - 32 -\n"
				      "carray raw CARRAY 2 L 5 -\n"
				      "int n LONG2 1 - - -\n"
				      "double d DOUBLE 1 - - -\n"
				      "short s SHORT 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "-C c.v"), 0);
	assert_has("CUST.cbl", "      *       VIEWFILE: \"c.v\"\n"
		   "      *       VIEWNAME: \"cust\"\n"
		   "           05 KIND PIC X(01).\n"
		   "           05 FILLER PIC X(07).\n"
		   "           05 EMP-ID PIC S9(18) USAGE IS COMP-5.\n"
		   "           05 C-SALARY PIC S9(4) USAGE IS COMP-5.\n"
		   "           05 FILLER PIC X(02).\n"
		   "           05 SALARY OCCURS 2 TIMES USAGE IS COMP-1.\n"
		   "           05 NAME PIC X(32).\n"
		   "           05 L-RAW OCCURS 2 TIMES PIC 9(4) USAGE IS "
		   "COMP-5.\n"
		   "           05 RAW OCCURS 2 TIMES PIC X(05).\n"
		   "           05 FILLER PIC X(02).\n"
		   "           05 N PIC S9(9) USAGE IS COMP-5.\n"
		   "           05 D USAGE IS COMP-2.\n"
		   "           05 S PIC S9(4) USAGE IS COMP-5.\n"
		   "           05 FILLER PIC X(06).\n");
	assert_int_equal(tmpdir_write(&view_dir, "c.v", "VIEW other\nshort "
				      "a123456789012345678901234567890 "
				      "SHORT 1 - - -\nEND\n"), 0);
	assert_int_equal(run("", "-C c.v"), 1);
	assert_has("out", "COBOL has no names of more than 30 bytes");
	assert_int_equal(shell("test ! -e OTHER.cbl"), 0);
	assert_int_equal(run("", "sample.v"), 0);
	assert_int_equal(shell("test ! -e SAMPLE.cbl"), 0);
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
		cmocka_unit_test(a_null_value_that_is_cut_is_a_warning),
		cmocka_unit_test(unknown_fields_and_types_are_refused),
		cmocka_unit_test(output_is_named_without_what_the_input_ends_in),
		cmocka_unit_test(a_type_of_a_dash_is_that_of_the_field),
		cmocka_unit_test(dollar_lines_go_to_the_header),
		cmocka_unit_test(flags_add_members_to_the_header),
		cmocka_unit_test(viewdis_prints_what_viewc_takes),
		cmocka_unit_test(
		    copy_files_of_cobol_have_the_layout_of_the_structure),
		cmocka_unit_test(wrong_usage_is_reported),
	};

	if (argc < 3) {
		fprintf(stderr, "usage: test_viewc VIEWC VIEWDIS\n");
		return 2;
	}
	program = argv[1];
	viewdis = argv[2];
	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
