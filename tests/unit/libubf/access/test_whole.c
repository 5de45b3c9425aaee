/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_whole.c - projections, joins, comparisons of whole buffers
 *
 * Buffers are written as text: "L1=5 S1=a S1=b" is a long and two strings.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/store/check.h"

static BFLDID field_of(const char *word)
{
	int type = word[0] == 'L' ? BFLD_LONG : word[0] == 'S' ? BFLD_STRING
							       : BFLD_CARRAY;

	return ID(type, word[1] - '0');
}

static UBFH *make_sized(const char *text, long size)
{
	UBFH *p = malloc((size_t)size);
	char copy[200], *save = NULL, *word;

	assert_int_equal(Binit(p, (BFLDLEN)size), 0);
	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		assert_int_equal(Badds(p, field_of(word), word + 3), 0);
	return p;
}

static UBFH *make(const char *text)
{
	return make_sized(text, 4096);
}

static void assert_holds(UBFH *p, const char *want)
{
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	char got[400] = "";
	size_t n = 0;

	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	while (Bnext(p, &id, &occ, NULL, NULL) == 1)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%c%d=%s",
				      n == 0 ? "" : " ",
				      "?L???SC"[Bfldtype(id)], Bfldno(id),
				      Bfinds(p, id, occ));
	assert_string_equal(got, want);
}

typedef int op2(UBFH *, UBFH *);

static void check_op(op2 *op, const char *a, const char *b, const char *want)
{
	UBFH *p = make(a), *q = make(b);

	assert_int_equal(op(p, q), 0);
	assert_holds(p, want);
	assert_holds(q, b);
	Bfree(p);
	Bfree(q);
}

static void update_changes_and_adds(void **state)
{
	check_op(Bupdate, "", "L1=1 S2=a", "L1=1 S2=a");
	check_op(Bupdate, "L1=1 S2=a", "", "L1=1 S2=a");
	check_op(Bupdate, "L1=1 L1=2 S2=a", "L1=9 S1=x S2=longer S2=more",
		 "L1=9 L1=2 S1=x S2=longer S2=more");
	check_op(Bupdate, "S1=much-longer-text S3=c", "S1=s S2=b C1=z",
		 "S1=s S2=b S3=c C1=z");
}

static void concat_adds_all(void **state)
{
	check_op(Bconcat, "L1=1 S2=a", "L1=9 S1=x S2=b",
		 "L1=1 L1=9 S1=x S2=a S2=b");
	check_op(Bconcat, "", "C1=q", "C1=q");
}

static void join_changes_what_both_have_and_drops_the_rest(void **state)
{
	check_op(Bjoin, "L1=1 L1=2 S2=a S3=c", "L1=9 S3=x S3=y",
		 "L1=9 S3=x");
	check_op(Bjoin, "L1=1", "S1=a", "");
}

static void outer_join_keeps_what_only_the_first_has(void **state)
{
	check_op(Bojoin, "L1=1 L1=2 S2=a S3=c", "L1=9 S3=x S3=y",
		 "L1=9 L1=2 S2=a S3=x");
}

static void buffer_joined_with_itself_is_well_defined(void **state)
{
	UBFH *p = make("L1=1 L2=2 S1=a S2=b");

	assert_int_equal(Bupdate(p, p), 0);
	assert_int_equal(Bjoin(p, p), 0);
	assert_int_equal(Bojoin(p, p), 0);
	assert_int_equal(Bcpy(p, p), 0);
	assert_holds(p, "L1=1 L2=2 S1=a S2=b");
	assert_int_equal(Bconcat(p, p), 0);
	assert_holds(p, "L1=1 L1=1 L2=2 L2=2 S1=a S1=a S2=b S2=b");
	Bfree(p);
}

/* 56 + 3 x 8 + 20 bytes: the result fits exactly, but not together with the
 * old values. */
static void update_reuses_the_room_of_replaced_values(void **state)
{
	UBFH *p = make_sized("S1=12345678 S2=b S3=c", 56 + 24 + 20);
	UBFH *q = make("S1=1 S2=12345678"), *r = make("S1=123456789 S4=x");

	assert_int_equal(Bupdate(p, q), 0);
	assert_holds(p, "S1=1 S2=12345678 S3=c");
	assert_int_equal(Bupdate(p, r), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_holds(p, "S1=1 S2=12345678 S3=c");
	assert_int_equal(Bconcat(p, r), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_holds(p, "S1=1 S2=12345678 S3=c");
	Bfree(p);
	Bfree(q);
	Bfree(r);
}

static void b16to32_and_b32to16_copy(void **state)
{
	UBFH *p = Balloc(10, 500), *q = Balloc(10, 500), *small = Balloc(1, 8);

	assert_int_equal(Badds(p, F_STRING, (char *)"a value of a field"), 0);
	assert_int_equal(B16to32(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bdel(q, F_STRING, 0), 0);
	assert_int_equal(B32to16(p, q), 0);
	assert_int_equal(Bnum(p), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"longer than there is room "
			       "for in the small one"), 0);
	assert_int_equal(B16to32(small, p), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bnum(small), 0);
	Bfree(p);
	Bfree(q);
	Bfree(small);
}

static void projection_keeps_listed_fields(void **state)
{
	BFLDID list[] = { ID(BFLD_STRING, 2), ID(BFLD_LONG, 1),
			  ID(BFLD_LONG, 7), ID(BFLD_STRING, 2), BBADFLDID };
	BFLDID bad[] = { ID(BFLD_STRING, 2), ID(BFLD_INT, 2), BBADFLDID };
	UBFH *p = make("L1=1 L2=2 S1=a S2=b S2=c S3=d"), *q = make("C1=old");

	assert_int_equal(Bprojcpy(q, p, list), 0);
	assert_holds(q, "L1=1 S2=b S2=c");
	assert_int_equal(Bproj(p, bad), -1);
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bprojcpy(q, p, bad), -1);
	assert_int_equal(Bproj(p, list), 0);
	assert_holds(p, "L1=1 S2=b S2=c");
	assert_int_equal(Bprojcpy(p, p, list + 1), 0);
	assert_holds(p, "L1=1 S2=b S2=c");
	assert_int_equal(Bproj(p, NULL), 0);
	assert_holds(p, "");
	Bfree(p);
	Bfree(q);
}

static void projection_without_room_keeps_the_target(void **state)
{
	BFLDID list[] = { ID(BFLD_STRING, 2), BBADFLDID };
	UBFH *p = make("S2=a-long-enough-text S2=b"), *q;

	q = make_sized("L1=7", 56 + 16 + 16);
	assert_int_equal(Bprojcpy(q, p, list), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_holds(q, "L1=7");
	Bfree(p);
	Bfree(q);
}

static void delete_removes_listed_fields(void **state)
{
	BFLDID list[] = { ID(BFLD_STRING, 2), ID(BFLD_LONG, 9), BBADFLDID };
	BFLDID none[] = { BBADFLDID };
	UBFH *p = make("L1=1 S1=a S2=b S2=c");

	assert_int_equal(Bdelete(p, none), 0);
	assert_int_equal(Bdelete(p, list), 0);
	assert_holds(p, "L1=1 S1=a");
	assert_int_equal(Bdelete(p, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	Bfree(p);
}

static void check_cmp(const char *a, const char *b, int want)
{
	UBFH *p = make(a), *q = make(b);

	assert_int_equal(Bcmp(p, q), want);
	assert_int_equal(Bcmp(q, p), -want);
	Bfree(p);
	Bfree(q);
}

static void buffers_compare_by_their_first_difference(void **state)
{
	check_cmp("", "", 0);
	check_cmp("L1=5 S1=a", "L1=5 S1=a", 0);
	check_cmp("L1=5", "L1=-6", 1);
	check_cmp("L1=5", "L2=1", -1);
	check_cmp("S1=a", "S1=ab", -1);
	check_cmp("S1=b", "S1=ab", 1);
	check_cmp("C1=b", "C1=ab", -1);
	check_cmp("L1=5", "L1=5 L1=5", -1);
	assert_int_equal(Bcmp(NULL, NULL), -2);
	assert_int_equal(Berror, BEINVAL);
}

static void check_subset(const char *hay, const char *needle, int want)
{
	UBFH *p = make(hay), *q = make(needle);

	assert_int_equal(Bsubset(p, q), want);
	Bfree(p);
	Bfree(q);
}

static void subset_compares_occurrence_with_occurrence(void **state)
{
	check_subset("L1=1 S1=a S1=b", "", 1);
	check_subset("L1=1 S1=a S1=b", "S1=a", 1);
	check_subset("L1=1 S1=a S1=b", "S1=a S1=b L1=1", 1);
	check_subset("L1=1 S1=a S1=b", "S1=b", 0);
	check_subset("L1=1", "L1=1 L1=1", 0);
	check_subset("", "L1=1", 0);
	assert_int_equal(Bsubset(NULL, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(update_changes_and_adds),
		cmocka_unit_test(concat_adds_all),
		cmocka_unit_test(
			join_changes_what_both_have_and_drops_the_rest),
		cmocka_unit_test(outer_join_keeps_what_only_the_first_has),
		cmocka_unit_test(buffer_joined_with_itself_is_well_defined),
		cmocka_unit_test(update_reuses_the_room_of_replaced_values),
		cmocka_unit_test(b16to32_and_b32to16_copy),
		cmocka_unit_test(projection_keeps_listed_fields),
		cmocka_unit_test(projection_without_room_keeps_the_target),
		cmocka_unit_test(delete_removes_listed_fields),
		cmocka_unit_test(buffers_compare_by_their_first_difference),
		cmocka_unit_test(subset_compares_occurrence_with_occurrence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
