/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_flags.c - what each flag of a view file does, in both directions
 *
 * test_view_map.c has the flags that choose the direction: none, F, S and N.
 */
#include "tests/unit/libubf/view_test.h"

#define CN(name) ((char *)(name))
#define V CN("FLAGS")

static const char flags_file[] =
	"VIEW FLAGS\n"
	"long plain LONG 3 - - -\n"
	"long count LONG2 3 C - -\n"
	"string text STRING 2 CL 8 -\n"
	"carray bytes CARRAY 2 CL 6 'abc'\n"
	"string pad STRING2 1 P 6 'ab'\n"
	"END\n"
	"VIEW NOPAD\nstring pad STRING2 1 - 6 'ab'\nEND\n"
	"VIEW BYTES\ncarray pad CARRAY 1 - 6 'ab'\nEND\n"
	"VIEW PADBYTES\ncarray pad CARRAY 1 P 6 'ab'\nEND\n";

struct FLAGS {
	long plain[3];
	short C_count;
	long count[3];
	short C_text;
	unsigned short L_text[2];
	char text[2][8];
	short C_bytes;
	unsigned short L_bytes[2];
	char bytes[2][6];
	char pad[6];
};

static struct FLAGS s;
static UBFH *p;

static int setup_file(void **state)
{
	if (view_setup(state) != 0 ||
	    tmpdir_write(&view_dir, "flags.v", flags_file) < 0)
		return -1;
	return setenv("VIEWFILES", "flags.v", 1);
}

static int setup(void **state)
{
	memset(&s, 0x55, sizeof(s));
	p = Balloc(50, 2000);
	return p == NULL ? -1 : Bvsinit((char *)&s, V);
}

static int teardown(void **state)
{
	return Bfree(p);
}

static void to_buffer(void)
{
	assert_int_equal(Bvstof(p, (char *)&s, BUPDATE, V), 0);
}

static void to_structure(void)
{
	assert_int_equal(Bvftos(p, (char *)&s, V), 0);
}

static void no_flag_maps_up_to_the_last_element_that_is_not_null(void **state)
{
	s.plain[1] = 5;
	to_buffer();
	assert_int_equal(Boccur(p, F_LONG), 2);
	s.plain[2] = 9;
	to_structure();
	assert_int_equal(s.plain[1], 5);
	assert_int_equal(s.plain[2], 0);
}

static void c_counts_what_is_mapped(void **state)
{
	long n;

	s.count[0] = 1;
	s.count[1] = 2;
	s.count[2] = 3;
	s.C_count = 2;
	to_buffer();
	assert_int_equal(Boccur(p, F_LONG2), 2);
	s.C_count = 77;
	to_structure();
	assert_int_equal(s.C_count, 2);
	assert_int_equal(s.count[2], 0);
	for (n = 3; n < 6; n++)
		assert_int_equal(Badd(p, F_LONG2, (char *)&n, 0), 0);
	to_structure();
	assert_int_equal(s.C_count, 3);
	Bproj(p, (BFLDID[]){ BBADFLDID });
	to_structure();
	assert_int_equal(s.C_count, 0);
	assert_int_equal(s.count[0], 0);
}

static void c_of_zero_or_of_null_elements_maps_nothing(void **state)
{
	s.count[0] = 1;
	s.C_count = 0;
	to_buffer();
	assert_int_equal(Bpres(p, F_LONG2, 0), 0);
	s.count[0] = 0;
	s.C_count = 3;
	to_buffer();
	assert_int_equal(Bpres(p, F_LONG2, 0), 0);
}

static void l_is_the_length_of_a_carray(void **state)
{
	BFLDLEN len;

	memcpy(s.bytes[0], "x\0yzzz", 6);
	s.L_bytes[0] = 3;
	s.C_bytes = 1;
	to_buffer();
	assert_memory_equal(Bfind(p, F_CARRAY, 0, &len), "x\0y", 3);
	assert_int_equal(len, 3);
	s.L_bytes[0] = 0;
	to_structure();
	assert_int_equal(s.L_bytes[0], 3);
	assert_memory_equal(s.bytes[0], "x\0y\0\0\0", 6);
}

static void an_l_of_zero_is_an_empty_carray(void **state)
{
	BFLDLEN len = 9;

	memcpy(s.bytes[0], "xyz", 3);
	s.L_bytes[0] = 0;
	s.C_bytes = 1;
	to_buffer();
	assert_non_null(Bfind(p, F_CARRAY, 0, &len));
	assert_int_equal(len, 0);
}

static void an_l_above_the_size_is_not_valid(void **state)
{
	memcpy(s.bytes[0], "xyz", 3);
	s.L_bytes[0] = 7;
	s.C_bytes = 1;
	assert_int_equal(Bvstof(p, (char *)&s, BUPDATE, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_non_null(strstr(Bstrerror(Berror), "L_bytes of element 0 is 7"));
	assert_int_equal(Bnum(p), 0);
}

static void l_of_a_string_is_set_in_both_directions(void **state)
{
	strcpy(s.text[0], "abc");
	s.L_text[0] = 999;
	s.C_text = 1;
	to_buffer();
	assert_string_equal(Bfind(p, F_STRING, 0, NULL), "abc");
	assert_int_equal(s.L_text[0], 4);
	assert_int_equal(Bchgs(p, F_STRING, 1, CN("z")), 0);
	to_structure();
	assert_int_equal(s.L_text[0], 4);
	assert_int_equal(s.L_text[1], 2);
	assert_int_equal(s.C_text, 2);
}

static void l_of_a_null_element_is_the_length_of_the_null_value(void **state)
{
	assert_int_equal(s.L_bytes[0], 3);
	assert_int_equal(s.L_text[0], 0);
	to_structure();
	assert_int_equal(s.L_bytes[1], 3);
	assert_memory_equal(s.bytes[1], "abc\0\0\0", 6);
	s.C_bytes = 2;
	to_buffer();
	assert_int_equal(Bpres(p, F_CARRAY, 0), 0);
}

/* The null value is 'ab', and a member of six bytes. */
static int is_null(const char *view, const char *bytes)
{
	char pad[6];

	memcpy(pad, bytes, sizeof(pad));
	return Bvnull(pad, CN("pad"), 0, CN(view));
}

static void p_pads_the_null_value_with_its_last_byte(void **state)
{
	assert_string_equal(s.pad, "abbbb");
	to_buffer();
	assert_int_equal(Bpres(p, F_STRING2, 0), 0);
	strcpy(s.pad, "ab");
	to_buffer();
	assert_int_equal(Bpres(p, F_STRING2, 0), 0);
	strcpy(s.pad, "abc");
	to_buffer();
	assert_int_equal(Bpres(p, F_STRING2, 0), 1);
	Bproj(p, (BFLDID[]){ BBADFLDID });
	to_structure();
	assert_string_equal(s.pad, "abbbb");
	assert_int_equal(is_null("PADBYTES", "abbbbb"), 1);
	assert_int_equal(is_null("PADBYTES", "abbbbc"), 0);
}

static void without_p_the_null_value_stands_alone(void **state)
{
	assert_int_equal(is_null("NOPAD", "ab\0\0\0\0"), 1);
	assert_int_equal(is_null("NOPAD", "abbbb"), 0);
	assert_int_equal(is_null("BYTES", "ab\0\0\0\0"), 1);
	assert_int_equal(is_null("BYTES", "abbbbb"), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(no_flag_maps_up_to_the_last_element_that_is_not_null),
		T(c_counts_what_is_mapped),
		T(c_of_zero_or_of_null_elements_maps_nothing),
		T(l_is_the_length_of_a_carray),
		T(an_l_of_zero_is_an_empty_carray),
		T(an_l_above_the_size_is_not_valid),
		T(l_of_a_string_is_set_in_both_directions),
		T(l_of_a_null_element_is_the_length_of_the_null_value),
		T(p_pads_the_null_value_with_its_last_byte),
		T(without_p_the_null_value_stands_alone),
	};

	return cmocka_run_group_tests(tests, setup_file, view_teardown);
}
