/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fields.c - add, change, delete, get, find and walk, one call at a time
 */
#include "tests/unit/libubf/ubf_test.h"

#include <pthread.h>

static int setup(void **state)
{
	*state = Balloc(100, 8000);
	return *state == NULL ? -1 : 0;
}

static int teardown(void **state)
{
	return Bfree(*state);
}

static void values_come_back_as_added(void **state)
{
	UBFH *p = *state;
	short s = -5, s2;
	long l = 1L << 40, l2;
	float f = 1.5f, f2;
	double d = -2.25, d2;
	void *ptr = &s, *ptr2;
	char c = 'x', c2, text[32];
	BFLDLEN len = sizeof(text);

	assert_int_equal(Badd(p, F_SHORT, (char *)&s, 0), 0);
	assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
	assert_int_equal(Badd(p, F_CHAR, &c, 0), 0);
	assert_int_equal(Badd(p, F_FLOAT, (char *)&f, 0), 0);
	assert_int_equal(Badd(p, F_DOUBLE, (char *)&d, 0), 0);
	assert_int_equal(Badd(p, F_PTR, (char *)&ptr, 0), 0);
	assert_int_equal(Badd(p, F_STRING, (char *)"hello", 0), 0);
	assert_int_equal(Bget(p, F_SHORT, 0, (char *)&s2, NULL), 0);
	assert_int_equal(Bget(p, F_LONG, 0, (char *)&l2, NULL), 0);
	assert_int_equal(Bget(p, F_CHAR, 0, &c2, NULL), 0);
	assert_int_equal(Bget(p, F_FLOAT, 0, (char *)&f2, NULL), 0);
	assert_int_equal(Bget(p, F_DOUBLE, 0, (char *)&d2, NULL), 0);
	assert_int_equal(Bget(p, F_PTR, 0, (char *)&ptr2, NULL), 0);
	assert_int_equal(Bget(p, F_STRING, 0, text, &len), 0);
	assert_true(s2 == s && l2 == l && c2 == c && f2 == f && d2 == d);
	assert_ptr_equal(ptr2, ptr);
	assert_string_equal(text, "hello");
	assert_int_equal(len, 6);
	assert_int_equal(Bnum(p), 7);
}

static void found_values_are_aligned(void **state)
{
	UBFH *p = *state;
	double d = 1;
	long l = 1;
	int i;

	for (i = 0; i < 10; i++) {
		assert_int_equal(Badd(p, F_CHAR, (char *)"c", 0), 0);
		assert_int_equal(Badd(p, F_STRING, (char *)"odd", 0), 0);
		assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
		assert_int_equal(Badd(p, F_DOUBLE, (char *)&d, 0), 0);
		assert_int_equal((uintptr_t)Bfind(p, F_LONG, i, NULL) % 8, 0);
		assert_int_equal((uintptr_t)Bfind(p, F_DOUBLE, i, NULL) % 8,
				 0);
		assert_int_equal(Badd(p, F_CARRAY, (char *)"odd lengths",
				      1 + i), 0);
		assert_int_equal((uintptr_t)Bfind(p, F_CARRAY, i, NULL) % 8,
				 0);
	}
}

static void absent_field_gives_bnotpres(void **state)
{
	UBFH *p = *state;
	long l;

	assert_int_equal(Bget(p, F_LONG, 0, (char *)&l, NULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_string_equal(Bstrerror(Berror),
			    "5:BNOTPRES (last error 5: field 33554534 "
			    "occurrence 0 is not present)");
	assert_null(Bfind(p, F_LONG, 0, NULL));
	assert_int_equal(Bpres(p, F_LONG, 0), 0);
	assert_int_equal(Berror, BMINVAL);
	assert_int_equal(Boccur(p, F_LONG), 0);
	assert_int_equal(Blen(p, F_LONG, 0), -1);
	assert_int_equal(Bdel(p, F_LONG, 0), -1);
	assert_int_equal(Bdelall(p, F_LONG), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_int_equal(Bgetlast(p, F_LONG, NULL, (char *)&l, NULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_null(Bfindlast(p, F_LONG, NULL, NULL));
}

static void negative_occurrences_are_refused_or_absent(void **state)
{
	UBFH *p = *state;
	long l = 1;

	assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
	assert_int_equal(Bget(p, F_LONG, -1, (char *)&l, NULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_int_equal(Bdel(p, F_LONG, -3), -1);
	assert_int_equal(Bchg(p, F_LONG, -2, (char *)&l, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bchg(p, F_LONG, -1, (char *)&l, 0), 0);
	assert_int_equal(Boccur(p, F_LONG), 2);
}

static void small_memory_gives_bnospace(void **state)
{
	UBFH *p = *state;
	char text[8] = "untouch";
	BFLDLEN len = 5;
	long l = 7;

	assert_int_equal(Badd(p, F_STRING, (char *)"hello", 0), 0);
	assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
	assert_int_equal(Badd(p, F_CARRAY, (char *)"abc", 3), 0);
	assert_int_equal(Bget(p, F_STRING, 0, text, &len), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_string_equal(text, "untouch");
	assert_int_equal(CBget(p, F_LONG, 0, text, &(BFLDLEN){ 1 },
			       BFLD_STRING), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bget(p, F_LONG, 0, text, &(BFLDLEN){ 7 }), -1);
	assert_int_equal(Bget(p, F_CARRAY, 0, text, &(BFLDLEN){ 0 }), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bget(p, F_CARRAY, 0, text, &(BFLDLEN){ -1 }), -1);
	assert_int_equal(Bget(p, F_CARRAY, 0, text, &(BFLDLEN){ 3 }), 0);
}

static void change_beyond_the_end_fills_with_defaults(void **state)
{
	UBFH *p = *state;
	long l = 9;
	BFLDLEN len;

	assert_int_equal(Bchg(p, F_LONG, 3, (char *)&l, 0), 0);
	assert_int_equal(Boccur(p, F_LONG), 4);
	assert_int_equal(*(long *)Bfind(p, F_LONG, 2, NULL), 0);
	assert_int_equal(*(long *)Bfind(p, F_LONG, 3, NULL), 9);
	assert_int_equal(Bchgs(p, F_STRING, 2, (char *)"two"), 0);
	assert_string_equal(Bfind(p, F_STRING, 1, &len), "");
	assert_int_equal(len, 1);
	assert_int_equal(Bchg(p, F_CARRAY, 1, (char *)"x", 1), 0);
	assert_int_equal(Blen(p, F_CARRAY, 0), 0);
	assert_int_equal(Bchg(p, F_LONG, 2000000000, (char *)&l, 0), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Boccur(p, F_LONG), 4);
}

static void change_to_null_deletes(void **state)
{
	UBFH *p = *state;

	assert_int_equal(Badds(p, F_STRING, (char *)"a"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"b"), 0);
	assert_int_equal(Bchg(p, F_STRING, 0, NULL, 0), 0);
	assert_string_equal(Bfinds(p, F_STRING, 0), "b");
	assert_int_equal(Bchg(p, F_STRING, 1, NULL, 0), -1);
	assert_int_equal(Berror, BNOTPRES);
}

static void deleting_everything_leaves_an_empty_buffer(void **state)
{
	UBFH *p = *state;
	long used = Bused(p);
	int i;

	for (i = 0; i < 50; i++)
		assert_int_equal(Badds(p, F_STRING, (char *)"text"), 0);
	assert_int_equal(Badds(p, F_LONG, (char *)"1"), 0);
	for (i = 0; i < 50; i++)
		assert_int_equal(Bdel(p, F_STRING, 0), 0);
	assert_int_equal(Bdel(p, F_LONG, 0), 0);
	assert_int_equal(Bused(p), used);
	assert_int_equal(Bnum(p), 0);
}

/* A value may come from the buffer that is being changed. */
static void values_may_lie_in_the_buffer_itself(void **state)
{
	UBFH *p = *state;
	int i;

	assert_int_equal(Badds(p, F_STRING, (char *)"self made string"), 0);
	assert_int_equal(Badds(p, F_LONG, (char *)"77"), 0);
	for (i = 0; i < 40; i++) {
		assert_int_equal(Badd(p, F_STRING,
				      Bfind(p, F_STRING, i / 2, NULL), 0), 0);
		assert_int_equal(Badd(p, F_LONG, Bfind(p, F_LONG, i, NULL),
				      0), 0);
	}
	assert_int_equal(Bchg(p, F_STRING, 3, Bfind(p, F_STRING, 3, NULL) + 5,
			      0), 0);
	for (i = 0; i <= 40; i++) {
		assert_int_equal(*(long *)Bfind(p, F_LONG, i, NULL), 77);
		assert_string_equal(Bfind(p, F_STRING, i, NULL),
				    i == 3 ? "made string"
					   : "self made string");
	}
}

static void last_occurrence_is_found(void **state)
{
	UBFH *p = *state;
	BFLDOCC occ = -7;
	char buf[16];
	BFLDLEN len = sizeof(buf);

	assert_int_equal(Badds(p, F_STRING, (char *)"a"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"b"), 0);
	assert_int_equal(Bgetlast(p, F_STRING, &occ, buf, &len), 0);
	assert_int_equal(occ, 1);
	assert_string_equal(buf, "b");
	assert_string_equal(Bfindlast(p, F_STRING, &occ, &len), "b");
	assert_int_equal(len, 2);
}

static void getalloc_gives_memory_with_room(void **state)
{
	UBFH *p = *state;
	BFLDLEN extra = 100;
	char *s;

	assert_int_equal(Badds(p, F_LONG, (char *)"-12"), 0);
	s = Bgetsa(p, F_LONG, 0, &extra);
	assert_string_equal(s, "-12");
	assert_int_equal(extra, 4);
	memset(s, 'x', 104);
	free(s);
	s = Bgetalloc(p, F_LONG, 0, NULL);
	assert_int_equal(*(long *)s, -12);
	free(s);
	assert_null(CBgetalloc(p, F_LONG, 1, BFLD_STRING, NULL));
	assert_int_equal(Berror, BNOTPRES);
	assert_null(CBgetalloc(p, F_LONG, 0, 99, NULL));
	assert_int_equal(Berror, BTYPERR);
}

static void occurrence_of_a_value_is_found(void **state)
{
	UBFH *p = *state;
	long l = 20;

	assert_int_equal(Badds(p, F_STRING, (char *)"a.c"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"xabcx"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"abc"), 0);
	assert_int_equal(Badds(p, F_LONG, (char *)"10"), 0);
	assert_int_equal(Badds(p, F_LONG, (char *)"20"), 0);
	assert_int_equal(Bfindocc(p, F_STRING, (char *)"a.c", 0), 0);
	assert_int_equal(Bfindocc(p, F_STRING, (char *)"ab.", 1), 2);
	assert_int_equal(Bfindocc(p, F_STRING, (char *)"b", 1), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_int_equal(Bfindocc(p, F_STRING, (char *)"(", 1), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bfindocc(p, F_STRING, (char *)"(.)\\1", 1), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_non_null(strstr(Bstrerror(Berror), "back-references"));
	assert_int_equal(Bfindocc(p, F_LONG, (char *)&l, 0), 1);
	assert_int_equal(CBfindocc(p, F_LONG, (char *)"20", 0, BFLD_STRING),
			 1);
	assert_int_equal(CBfindocc(p, F_STRING, (char *)"a.c", 1,
				   BFLD_STRING), 0);
}

static void addfast_refuses_descending_ids(void **state)
{
	UBFH *p = *state;
	Bfld_loc_info_t loc = { 0 };
	long l = 1;

	assert_int_equal(Baddfast(p, F_LONG, (char *)&l, 0, &loc), 0);
	assert_int_equal(Baddfast(p, F_LONG2, (char *)&l, 0, &loc), 0);
	assert_int_equal(CBaddfast(p, F_STRING, (char *)&l, 0, BFLD_LONG,
				   &loc), 0);
	assert_int_equal(Baddfast(p, F_LONG, (char *)&l, 0, &loc), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Baddfast(p, F_LONG, (char *)&l, 0, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bnum(p), 3);
}

static void two_walks_do_not_disturb_each_other(void **state)
{
	UBFH *p = *state, *q = Balloc(10, 100);
	BFLDID id = BFIRSTFLDID, id2 = BFIRSTFLDID;
	BFLDOCC occ = 0, occ2 = 0;
	int i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(Badds(p, F_STRING, (char *)"p"), 0);
		assert_int_equal(Badds(q, F_LONG, (char *)"1"), 0);
	}
	for (i = 0; i < 3; i++) {
		assert_int_equal(Bnext(p, &id, &occ, NULL, NULL), 1);
		assert_int_equal(Bnext(q, &id2, &occ2, NULL, NULL), 1);
		assert_int_equal(occ, i);
		assert_int_equal(occ2, i);
	}
	assert_int_equal(Bnext(p, &id, &occ, NULL, NULL), 0);
	assert_int_equal(Bnext(q, &id2, &occ2, NULL, NULL), 0);
	Bfree(q);
}

/* The position of the walk does not change. */
static void bnext_gives_bnospace_for_a_long_value(void **state)
{
	UBFH *p = Balloc(10, 500);
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	BFLDLEN len = 3;
	char buf[16];

	assert_int_equal(Badds(p, F_STRING, (char *)"longer"), 0);
	assert_int_equal(Bnext(p, &id, &occ, buf, &len), -1);
	assert_int_equal(Berror, BNOSPACE);
	len = sizeof(buf);
	assert_int_equal(Bnext(p, &id, &occ, buf, &len), 1);
	assert_string_equal(buf, "longer");
	assert_int_equal(Bnext(p, &id, &occ, buf, &len), 0);
	Bfree(p);
}

static void field_found_by_a_walk_may_be_deleted(void **state)
{
	UBFH *p = *state;
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	int n = 0;

	assert_int_equal(Badds(p, F_LONG, (char *)"1"), 0);
	assert_int_equal(Badds(p, F_LONG2, (char *)"2"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"3"), 0);
	while (Bnext(p, &id, &occ, NULL, NULL) == 1) {
		assert_int_equal(Bdel(p, id, occ), 0);
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(Bnum(p), 0);
}

static void embedded_buffers_are_copied_in_and_out(void **state)
{
	UBFH *p = *state, *in = Balloc(5, 100), *out = Balloc(5, 100);

	assert_int_equal(Badds(in, F_STRING, (char *)"deep"), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	assert_int_equal(Badds(p, F_UBF, (char *)"text"), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(Bget(p, F_UBF, 0, (char *)out, NULL), 0);
	assert_string_equal(Bfind(out, F_STRING, 0, NULL), "deep");
	assert_int_equal(Bcmp(in, out), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)p, 0), 0);
	assert_int_equal(Bnum((UBFH *)Bfind(p, F_UBF, 1, NULL)), 1);
	Bfree(in);
	Bfree(out);
}

/* Programs that walk over all fields pass plain memory for each value. */
static void embedded_buffers_go_to_plain_memory(void **state)
{
	_Alignas(8) char raw[400], *odd = raw + 1;
	UBFH *p = *state, *in = Balloc(5, 100), *out = (UBFH *)(void *)raw;
	BFLDID id = BFIRSTFLDID;
	BFLDLEN len = sizeof(raw);
	BFLDOCC occ;

	assert_int_equal(Badds(in, F_STRING, (char *)"deep"), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	memset(raw, 0x55, sizeof(raw));
	assert_int_equal(Bnext(p, &id, &occ, raw, &len), 1);
	assert_int_equal(len, Bused(in));
	assert_int_equal(Bsizeof(out), sizeof(raw));
	assert_int_equal(Bcmp(in, out), 0);
	assert_int_equal(Badds(out, F_STRING, (char *)"more"), 0);
	len = sizeof(raw) - 1;
	assert_int_equal(Bget(p, F_UBF, 0, odd, &len), 0);
	assert_memory_equal(odd, Bfind(p, F_UBF, 0, NULL), (size_t)len);
	/* Not more bytes than *buflen, whatever lies there. */
	memcpy(raw, in, (size_t)Bused(in)); /* its size is larger */
	len = 60;
	assert_int_equal(Bget(p, F_UBF, 0, raw, &len), -1);
	assert_int_equal(Berror, BNOSPACE);
	Bfree(in);
}

static void an_embedded_buffer_goes_to_memory_of_unknown_length(void **state)
{
	_Alignas(8) char raw[400];
	UBFH *p = *state, *in = Balloc(5, 100), *out = (UBFH *)(void *)raw;
	static const int fill[] = { 0, 0x55 };

	assert_int_equal(Badds(in, F_STRING, (char *)"deep"), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	for (int i = 0; i < 2; i++) {
		memset(raw, fill[i], sizeof(raw));
		assert_int_equal(Bget(p, F_UBF, 0, raw, NULL), 0);
		assert_int_equal(Bcmp(in, out), 0);
		assert_int_equal(Bsizeof(out), Bused(in));
	}
	/* A buffer has the size that it says, and no more. */
	assert_int_equal(Binit(out, 60), 0);
	assert_int_equal(Bget(p, F_UBF, 0, raw, NULL), -1);
	assert_int_equal(Berror, BNOSPACE);
	Bfree(in);
}

static void a_view_of_no_view_file_is_refused(void **state)
{
	UBFH *p = *state;
	BVIEWFLD v = { 0, "V", NULL };

	unsetenv("VIEWDIR");
	assert_int_equal(Badd(p, F_VIEW, (char *)&v, 0), -1);
	assert_int_equal(Berror, BBADVIEW);
}

static void fadd_and_fchg_take_the_pointer_itself(void **state)
{
	UBFH *p = *state;
	int x, y;
	void *got;

	assert_int_equal(ndrx_Fadd(p, F_PTR, (char *)&x, 0), 0);
	assert_int_equal(Bget(p, F_PTR, 0, (char *)&got, NULL), 0);
	assert_ptr_equal(got, &x);
	assert_int_equal(ndrx_Fchg(p, F_PTR, 0, (char *)&y, 0), 0);
	assert_int_equal(Bget(p, F_PTR, 0, (char *)&got, NULL), 0);
	assert_ptr_equal(got, &y);
	assert_int_equal(ndrx_Fadd(p, F_STRING, (char *)"s", 0), 0);
}

static void *fail_in_thread(void *arg)
{
	int *ret = arg;

	Bget(NULL, F_LONG, 0, NULL, NULL);
	*ret = Berror;
	return NULL;
}

static void errors_are_per_thread(void **state)
{
	pthread_t t;
	int in_thread = 0;

	assert_int_equal(Bpres(*state, F_LONG, 0), 0);
	assert_int_equal(pthread_create(&t, NULL, fail_in_thread, &in_thread),
			 0);
	pthread_join(t, NULL);
	assert_int_equal(in_thread, BNOTFLD);
	assert_int_equal(Berror, BMINVAL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(values_come_back_as_added),
		T(found_values_are_aligned),
		T(absent_field_gives_bnotpres),
		T(negative_occurrences_are_refused_or_absent),
		T(small_memory_gives_bnospace),
		T(change_beyond_the_end_fills_with_defaults),
		T(change_to_null_deletes),
		T(deleting_everything_leaves_an_empty_buffer),
		T(values_may_lie_in_the_buffer_itself),
		T(last_occurrence_is_found),
		T(getalloc_gives_memory_with_room),
		T(occurrence_of_a_value_is_found),
		T(addfast_refuses_descending_ids),
		T(two_walks_do_not_disturb_each_other),
		T(bnext_gives_bnospace_for_a_long_value),
		T(field_found_by_a_walk_may_be_deleted),
		T(embedded_buffers_are_copied_in_and_out),
		T(embedded_buffers_go_to_plain_memory),
		T(an_embedded_buffer_goes_to_memory_of_unknown_length),
		T(a_view_of_no_view_file_is_refused),
		T(fadd_and_fchg_take_the_pointer_itself),
		T(errors_are_per_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
