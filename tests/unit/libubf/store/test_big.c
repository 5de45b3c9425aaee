/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_big.c - cost per field does not grow with the number of fields
 *
 * Each operation runs with n and with 4 n fields; the processor time may grow
 * by little more than 4; quadratic time would grow by 16. With OW_LONG, 4 n is
 * 10,000,000 occurrences or 1,000,000 ids.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>
#include <time.h>

#include "libubf/store/check.h"

#define GROWTH_MAX 11.0
#define TRIES 3

static BFLDID id_of(int type, int i)
{
	return Bmkfldid(type, i + 1);
}

static UBFH *make(int n)
{
	UBFH *p = Balloc(n, n * 16 + (1 << 20));

	assert_non_null(p);
	return p;
}

static UBFH *make_longs(int n)
{
	UBFH *p = make(n);
	long l;

	for (l = 0; l < n; l++)
		assert_int_equal(Badd(p, F_LONG, (char *)&l, 0), 0);
	return p;
}

static UBFH *make_strings(int n)
{
	UBFH *p = make(n);
	char text[16];
	int i;

	for (i = 0; i < n; i++) {
		sprintf(text, "%d", i);
		assert_int_equal(Badd(p, F_STRING, text, 0), 0);
	}
	return p;
}

static UBFH *make_ids(int n, int type)
{
	UBFH *p = make(2 * n);
	int i;

	for (i = 0; i < n; i++)
		assert_int_equal(CBadd(p, id_of(type, i), (char *)&i, 0,
				       BFLD_INT), 0);
	return p;
}

static void occurrences(int n)
{
	UBFH *p = make_longs(n);
	long l, sum = 0;
	int i;

	assert_int_equal(Boccur(p, F_LONG), n);
	for (i = n - 1; i >= 0; i--) {
		assert_int_equal(Bget(p, F_LONG, i, (char *)&l, NULL), 0);
		sum += l == i;
	}
	assert_int_equal(sum, n);
	for (i = 0; i < n; i++)
		assert_int_equal(Bdel(p, F_LONG, 0), 0);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
}

static void strings(int n)
{
	UBFH *p = make_strings(n), *q = make(2 * n);
	int i;

	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	assert_int_equal(Bcpy(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bconcat(q, p), 0);
	assert_int_equal(Bnum(q), 2 * n);
	assert_int_equal(Bupdate(q, p), 0);
	assert_int_equal(Bsubset(q, p), 1);
	for (i = n - 1; i >= 0; i--)
		assert_int_equal(Bdel(p, F_STRING, i), 0);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
	Bfree(q);
}

static void longer_strings(int n)
{
	UBFH *p = make_strings(n);
	int i;

	for (i = 0; i < n; i++)
		assert_int_equal(Bchg(p, F_STRING, i, (char *)"sixteen and "
				      "more", 0), 0);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	Bfree(p);
}

static void distinct_ids(int n)
{
	UBFH *p = make_ids(n, BFLD_LONG), *q = make(n);
	BFLDID *ids = malloc((size_t)(n + 1) * sizeof(*ids));
	int i, k = 0;

	for (i = n - 1; i >= 0; i--) {
		assert_int_equal(Badd(q, id_of(BFLD_LONG, i), (char *)&ids[i],
				      0), 0);
		assert_int_equal(Bpres(p, id_of(BFLD_LONG, i), 0), 1);
		if (i % 2 == 0)
			ids[k++] = id_of(BFLD_LONG, i);
	}
	ids[k] = BBADFLDID;
	assert_int_equal(Bupdate(q, p), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bprojcpy(q, p, ids), 0);
	assert_int_equal(Bnum(q), k);
	assert_int_equal(Bdelete(p, ids), 0);
	assert_int_equal(Bnum(p), n - k);
	assert_int_equal(Bojoin(p, q), 0);
	free(ids);
	Bfree(p);
	Bfree(q);
}

static void walk(int n)
{
	UBFH *p = make_ids(n / 2, BFLD_STRING);
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	int i, seen = 0;

	for (i = 0; i < n / 2; i++)
		assert_int_equal(Badd(p, id_of(BFLD_STRING, n / 2 - 1),
				      (char *)"x", 0), 0);
	while (Bnext(p, &id, &occ, NULL, NULL) == 1)
		seen++;
	assert_int_equal(seen, n / 2 * 2);
	Bfree(p);
}

/* Values in an order in which the check needs its bitmap. */
static void shuffled_heap(int n)
{
	UBFH *p = make_strings(n);
	int i;

	for (i = 0; i < n; i += 3)
		assert_int_equal(Bchg(p, F_STRING, i, (char *)"now elsewhere",
				      0), 0);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	Bfree(p);
}

static void text(int n)
{
	UBFH *p = make_strings(n), *q = make(n);
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	setenv("FLDTBLDIR", "/", 1);
	setenv("FIELDTBLS", "", 1);
	assert_int_equal(Bfprint(p, f), 0);
	rewind(f);
	assert_int_equal(Bwrite(p, f), 0);
	fclose(f);
	f = fmemopen(out, len, "r");
	assert_int_equal(Bread(q, f), 0);
	assert_int_equal(Bcmp(p, q), 0);
	fclose(f);
	free(out);
	Bfree(p);
	Bfree(q);
}

/* Search the last occurrence. */
static void search(int n)
{
	UBFH *p = make_longs(n);

	assert_int_equal(Bfindocc(p, F_LONG, (char *)&(long){ n - 1 }, 0),
			 n - 1);
	Bfree(p);
}

/* Add rows of ten fields in descending order: each goes into the middle. */
static void rows(int n)
{
	UBFH *p = make(2 * n);
	long i;
	int k;

	for (i = 0; i < n / 10; i++)
		for (k = 10; k-- > 0;)
			assert_int_equal(CBadd(p, id_of(k % 2 ? BFLD_LONG
							      : BFLD_STRING, k),
					       (char *)&i, 0, BFLD_LONG), 0);
	assert_int_equal(Boccur(p, id_of(BFLD_LONG, 5)), n / 10);
	Bfree(p);
}

/* Add ids in random order, then delete them. */
static void random_ids(int n)
{
	UBFH *p = make(n);
	int i;

	for (i = 0; i < n; i++)
		assert_int_equal(Badd(p, id_of(BFLD_LONG, (int)(i * 7368787L
								% n)),
				      (char *)&(long){ i }, 0), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(Bdel(p, id_of(BFLD_LONG, (int)(i * 15485863L
								% n)), 0),
				 0);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
}

static double seconds(void (*operation)(int), int n)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	operation(n);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) +
	       (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

/* Other load can only make it slower: one good try is enough. */
static void grows_linearly(void (*operation)(int), int many)
{
	int n = getenv("OW_LONG") != NULL ? many / 4 : 10000, i;
	double growth = 0;

	for (i = 0; i < TRIES; i++) {
		growth = seconds(operation, 4 * n) / seconds(operation, n);
		if (growth < GROWTH_MAX)
			return;
	}
	fail_msg("4 times the fields take %.1f times as long", growth);
}

static void occurrences_cost_the_same(void **state)
{
	grows_linearly(occurrences, 10000000);
}

static void strings_cost_the_same(void **state)
{
	grows_linearly(strings, 10000000);
}

static void longer_strings_cost_the_same(void **state)
{
	grows_linearly(longer_strings, 10000000);
}

static void ids_cost_the_same(void **state)
{
	grows_linearly(distinct_ids, 1000000);
}

static void steps_of_bnext_cost_the_same(void **state)
{
	grows_linearly(walk, 2000000);
}

static void check_of_any_order_costs_the_same(void **state)
{
	grows_linearly(shuffled_heap, 10000000);
}

static void text_and_binary_cost_the_same(void **state)
{
	grows_linearly(text, 4000000);
}

static void rows_cost_the_same(void **state)
{
	grows_linearly(rows, 10000000);
}

static void random_ids_cost_the_same(void **state)
{
	grows_linearly(random_ids, 4000000);
}

static void searches_cost_the_same(void **state)
{
	grows_linearly(search, 10000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occurrences_cost_the_same),
		cmocka_unit_test(strings_cost_the_same),
		cmocka_unit_test(longer_strings_cost_the_same),
		cmocka_unit_test(ids_cost_the_same),
		cmocka_unit_test(steps_of_bnext_cost_the_same),
		cmocka_unit_test(check_of_any_order_costs_the_same),
		cmocka_unit_test(text_and_binary_cost_the_same),
		cmocka_unit_test(searches_cost_the_same),
		cmocka_unit_test(rows_cost_the_same),
		cmocka_unit_test(random_ids_cost_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
