/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_buffer.c - allocation, sizes and copies of whole buffers
 */
#include "tests/unit/libubf/ubf_test.h"

static void new_buffer_is_empty_and_its_sizes_add_up(void **state)
{
	UBFH *p = Balloc(10, 100);

	assert_non_null(p);
	assert_int_equal(Bisubf(p), 1);
	assert_int_equal(Bnum(p), 0);
	assert_int_equal(Bsizeof(p), Bneeded(10, 100));
	assert_int_equal(Bused(p) + Bunused(p), Bsizeof(p));
	assert_int_equal(Bfree(p), 0);
}

static void impossible_sizes_are_refused(void **state)
{
	char mem[64] __attribute__((aligned(8)));

	assert_null(Balloc(-1, 10));
	assert_int_equal(Berror, BEINVAL);
	assert_null(Balloc(1, -10));
	assert_null(Balloc(0x7fffffff, 0x7fffffff));
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bneeded(-1, 1), -1);
	assert_int_equal(Binit((UBFH *)mem, 55), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Binit((UBFH *)mem, -1), -1);
	assert_int_equal(Binit((UBFH *)(mem + 1), 60), -1);
	assert_int_equal(Berror, BALIGNERR);
}

/* Balloc counts strings with their NULs; every mix of types must fit. */
static void balloc_gives_room_for_the_fields_asked_for(void **state)
{
	static const int types[] = { BFLD_STRING, BFLD_CARRAY, BFLD_LONG,
				     BFLD_CHAR };
	uint64_t seed = 5;
	int round, i;

	for (round = 0; round < 2000; round++) {
		int n = 1 + (int)rnd_below(&seed, 40), total = 0;
		BFLDID ids[40];
		int lens[40];
		char text[100];
		UBFH *p;

		for (i = 0; i < n; i++) {
			int t = types[rnd_below(&seed, 4)];

			ids[i] = ID(t, 1 + rnd_below(&seed, 9));
			lens[i] = t == BFLD_LONG ? 8 : t == BFLD_CHAR ? 1
				  : 1 + (int)rnd_below(&seed, 40);
			total += lens[i];
		}
		p = Balloc(n, total);
		for (i = 0; i < n; i++) {
			memset(text, 'x', sizeof(text));
			text[lens[i] - 1] = '\0';
			assert_int_equal(Badd(p, ids[i], text, lens[i]), 0);
		}
		Bfree(p);
	}
}

static void a_kilobyte_holds_a_usual_number_of_fields(void **state)
{
	char mem[1024] __attribute__((aligned(8)));
	UBFH *p = (UBFH *)mem;
	int n = 0;

	assert_int_equal(Binit(p, sizeof(mem)), 0);
	while (Badds(p, F_STRING, (char *)"twelve bytes") == 0 &&
	       CBadd(p, F_DOUBLE, (char *)"1.5", 0, BFLD_STRING) == 0)
		n++;
	assert_int_equal(Berror, BNOSPACE);
	assert_true(n >= 18);
}

static void copies_are_independent(void **state)
{
	UBFH *p = Balloc(10, 100), *q = Balloc(10, 100);
	long size = Bsizeof(q);

	assert_int_equal(Badds(p, F_STRING, (char *)"one"), 0);
	assert_int_equal(Badds(q, F_LONG, (char *)"1"), 0);
	assert_int_equal(Bcpy(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bsizeof(q), size);
	assert_int_equal(Bchgs(p, F_STRING, 0, (char *)"two"), 0);
	assert_string_equal(Bfind(q, F_STRING, 0, NULL), "one");
	assert_int_equal(B16to32(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	Bfree(p);
	Bfree(q);
}

/* A large buffer with free slots and holes, a small one without. */
static void copy_leaves_out_holes_when_room_is_short(void **state)
{
	UBFH *p = Balloc(1000, 8000), *q;
	int i;

	for (i = 0; i < 60; i++)
		assert_int_equal(Badds(p, F_STRING, (char *)"some text"), 0);
	for (i = 0; i < 20; i++)
		assert_int_equal(Bdel(p, F_STRING, 20 + i), 0);
	q = malloc(56 + 40 * (8 + 12));
	assert_int_equal(Binit(q, 56 + 40 * (8 + 12)), 0);
	assert_true(Bused(p) > Bsizeof(q));
	assert_int_equal(Bcpy(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"one more"), 0);
	assert_int_equal(Bcpy(q, p), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Boccur(q, F_STRING), 40);
	Bfree(p);
	free(q);
}

static void realloc_keeps_the_fields(void **state)
{
	UBFH *p = Balloc(2, 20), *q;

	assert_int_equal(Badds(p, F_STRING, (char *)"kept"), 0);
	q = Brealloc(p, 100, 1000);
	assert_non_null(q);
	assert_int_equal(Bsizeof(q), Bneeded(100, 1000));
	assert_string_equal(Bfind(q, F_STRING, 0, NULL), "kept");
	assert_null(Brealloc(q, 0, 0));
	assert_int_equal(Berror, BEINVAL);
	assert_string_equal(Bfind(q, F_STRING, 0, NULL), "kept");
	assert_null(Brealloc(q, -1, 0));
	Bfree(q);
}

static void a_million_occurrences_work(void **state)
{
	UBFH *p = Balloc(1000000, 8000000);
	long i;

	assert_non_null(p);
	for (i = 0; i < 1000000; i++)
		assert_int_equal(Badd(p, F_LONG, (char *)&i, 0), 0);
	assert_int_equal(*(long *)Bfind(p, F_LONG, 777777, NULL), 777777);
	assert_int_equal(Bdelall(p, F_LONG), 0);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_buffer_is_empty_and_its_sizes_add_up),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(balloc_gives_room_for_the_fields_asked_for),
		cmocka_unit_test(a_kilobyte_holds_a_usual_number_of_fields),
		cmocka_unit_test(copies_are_independent),
		cmocka_unit_test(copy_leaves_out_holes_when_room_is_short),
		cmocka_unit_test(realloc_keeps_the_fields),
		cmocka_unit_test(a_million_occurrences_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
