/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_buffer.c - allocation, sizes and copies of whole buffers
 */
#include "tests/unit/libubf/ubf_test.h"

#include "libubf/store/check.h"
#include "libubf/store/layout.h"

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

/* How many values of 8 bytes at most, each of another field or all of one, are
 * added to `size` bytes before there is no more room. */
static int room_for(int type, size_t size, int fields, int step)
{
	UBFH *p = malloc(size);	/* so that sanitizers know its end */
	char value[8] = "1234567";
	int n = 0;

	assert_non_null(p);
	assert_int_equal(Binit(p, (BFLDLEN)size), 0);
	while (Badd(p, ID(type, 1 + n * step % fields), value, 8) == 0) {
		n++;
		assert_int_equal(Bused(p) + Bunused(p), size);
	}
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bnum(p), n);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	free(p);
	return n;
}

/* Programs size buffers by what fitted elsewhere. */
static void a_kilobyte_holds_as_many_fields_as_programs_expect(void **state)
{
	static const struct {
		int type, n;
	} room[] = {
		{ BFLD_SHORT, 121 }, { BFLD_CHAR, 121 },  { BFLD_FLOAT, 121 },
		{ BFLD_LONG, 80 },   { BFLD_DOUBLE, 80 }, { BFLD_PTR, 80 },
		{ BFLD_STRING, 60 }, { BFLD_CARRAY, 60 },
	};
	size_t i;

	for (i = 0; i < sizeof(room) / sizeof(*room); i++) {
		assert_true(room_for(room[i].type, 1024, 1, 1) >= room[i].n);
		assert_true(room_for(room[i].type, 1024, 997, 1) >= room[i].n);
		assert_true(room_for(room[i].type, 1024, 997, 996) >=
			    room[i].n);
		assert_true(room_for(room[i].type, 1024, 997, 387) >=
			    room[i].n);
		/* The same density, whatever the size. */
		assert_true(room_for(room[i].type, 200 * 1024, 30011, 387) >=
			    room[i].n * 200);
	}
}

/* 24 of each: 56 + 24 x (8 + 12 + 20) bytes. */
static void a_kilobyte_holds_a_mixture_of_fields(void **state)
{
	char mem[1024] __attribute__((aligned(8)));
	UBFH *p = (UBFH *)mem;
	int n = 0;

	assert_int_equal(Binit(p, sizeof(mem)), 0);
	while (Badds(p, F_STRING, (char *)"twelve byte") == 0 &&
	       CBadd(p, F_DOUBLE, (char *)"1.5", 0, BFLD_STRING) == 0 &&
	       CBadd(p, F_SHORT, (char *)"7", 0, BFLD_STRING) == 0)
		n++;
	assert_int_equal(Berror, BNOSPACE);
	assert_true(n >= 24);
}

static void sixty_bytes_are_a_buffer(void **state)
{
	char mem[64] __attribute__((aligned(8)));
	UBFH *p = (UBFH *)mem;

	memset(mem, 0x55, sizeof(mem));
	assert_int_equal(Binit(p, 60), 0);
	assert_int_equal(Bsizeof(p), 60);
	assert_int_equal(Bused(p), 56);
	assert_int_equal(Bunused(p), 4);
	assert_int_equal(Badds(p, F_STRING, (char *)"x"), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(mem[60], 0x55);
}

/* Values and sizes beyond those of the dense form (store/layout.h). */
static void long_values_and_large_buffers_keep_all_fields(void **state)
{
	static char text[40000];
	UBFH *p = malloc(600000), *q = malloc(600000);
	BFLDLEN len;
	long l;

	assert_int_equal(Binit(p, 600000), 0);
	assert_int_equal(Binit(q, 600000), 0);
	for (l = 0; l < 10000; l++) {
		assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
		assert_int_equal(CBadd(p, F_STRING, (char *)&l, 0, BFLD_LONG),
				 0);
		assert_int_equal(CBadd(p, F_SHORT, (char *)&l, 0, BFLD_LONG),
				 0);
	}
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(Bchg(p, F_STRING, 7, text, 0), 0);
	assert_int_equal(Badds(q, F_STRING, (char *)"small"), 0);
	assert_int_equal(Bupdate(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	for (l = 0; l < 10000; l++) {
		assert_int_equal(*(long *)Bfind(q, F_LONG, (BFLDOCC)l, &len),
				 l);
		assert_int_equal(*(short *)Bfind(q, F_SHORT, (BFLDOCC)l, &len),
				 (short)l);
		assert_int_equal(atol(Bfind(q, F_STRING, (BFLDOCC)l, &len)),
				 l == 7 ? 0 : l);
	}
	assert_int_equal(ow_ubf_check(q, (size_t)Bused(q)), 0);
	/* What is left is as large as its fields need. */
	assert_int_equal(Bdelall(q, F_STRING), 0);
	assert_int_equal(Bdelall(q, F_LONG), 0);
	assert_int_equal(Binit(p, 90000), 0);
	assert_int_equal(Bcpy(p, q), 0);
	assert_int_equal(Bcmp(p, q), 0);
	free(p);
	free(q);
}

/* The dense form is only for want of room (store/layout.h). */
static void a_full_buffer_is_dense_until_there_is_room_again(void **state)
{
	UBFH *p = malloc(1024), *q;
	long l = 0;

	assert_int_equal(Binit(p, 1024), 0);
	assert_true(ow_ubf_plain(p));
	for (; Badd(p, F_LONG, (char *)&l, 0) == 0; l++)
		assert_true(l >= 70 || ow_ubf_plain(p));
	assert_false(ow_ubf_plain(p));
	q = Brealloc(p, 200, 0);
	assert_non_null(q);
	assert_false(ow_ubf_plain(q));
	assert_int_equal(Badd(q, F_LONG, (char *)&l, 0), 0);
	assert_true(ow_ubf_plain(q));
	for (; l >= 0; l--)
		assert_int_equal(*(long *)Bfind(q, F_LONG, (BFLDOCC)l, NULL),
				 l);
	assert_int_equal(ow_ubf_check(q, (size_t)Bused(q)), 0);
	Bfree(q);
}

/* Each addition to a full buffer is refused; after a deletion there is room. */
static void a_full_buffer_takes_as_much_as_is_deleted(void **state)
{
	UBFH *p = malloc(1024);
	short s = 7;
	int n = 0, i;

	assert_int_equal(Binit(p, 1024), 0);
	while (Badd(p, F_SHORT, (char *)&s, 0) == 0)
		n++;
	for (i = 0; i < n; i++) {
		assert_int_equal(Bdel(p, F_SHORT, i), 0);
		assert_int_equal(Badd(p, F_SHORT, (char *)&s, 0), 0);
		assert_int_equal(Badd(p, F_SHORT, (char *)&s, 0), -1);
		assert_int_equal(Berror, BNOSPACE);
	}
	assert_int_equal(Bdelall(p, F_SHORT), 0);
	assert_true(ow_ubf_plain(p));
	free(p);
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
		cmocka_unit_test(
			a_kilobyte_holds_as_many_fields_as_programs_expect),
		cmocka_unit_test(a_kilobyte_holds_a_mixture_of_fields),
		cmocka_unit_test(sixty_bytes_are_a_buffer),
		cmocka_unit_test(long_values_and_large_buffers_keep_all_fields),
		cmocka_unit_test(
			a_full_buffer_is_dense_until_there_is_room_again),
		cmocka_unit_test(a_full_buffer_takes_as_much_as_is_deleted),
		cmocka_unit_test(copies_are_independent),
		cmocka_unit_test(copy_leaves_out_holes_when_room_is_short),
		cmocka_unit_test(realloc_keeps_the_fields),
		cmocka_unit_test(a_million_occurrences_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
