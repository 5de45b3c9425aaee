/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_check.c - bytes from an enemy: refused, or safe to use
 *
 * Valid buffers are mutated at random. What passes the check is used by all
 * kinds of calls; the sanitizer builds see every wrong access.
 */
#include "ubf_test.h"

#include <stdio.h>
#include <time.h>

#include "libubf/check.h"
#include "libubf/layout.h"

#include "tests/fuzz/ubf/exercise.h"

#define IMAGE_MAX 4096

/* A buffer of all types with holes and an embedded buffer. */
static size_t make_image(uint64_t *seed, char *image)
{
	UBFH *p = Balloc(60, 2000), *in = Balloc(5, 100);
	int i, n = 5 + (int)rnd_below(seed, 30);
	char text[64] = "";
	long l;
	size_t used;

	assert_int_equal(Badds(in, F_STRING, (char *)"inner"), 0);
	for (i = 0; i < n; i++) {
		l = rnd(seed);
		memset(text, 'x', sizeof(text) - 1);
		text[rnd_below(seed, 60)] = '\0';
		Badd(p, F_STRING, text, 0);
		Badd(p, F_LONG, (char *)&l, 0);
		CBadd(p, F_SHORT, (char *)&l, 0, BFLD_LONG);
		Badd(p, F_CARRAY, text, (BFLDLEN)rnd_below(seed, 60));
		CBadd(p, F_DOUBLE, (char *)&l, 0, BFLD_LONG);
	}
	Badd(p, F_UBF, (char *)in, 0);
	Bdel(p, F_STRING, (BFLDOCC)rnd_below(seed, 5));
	Bchg(p, F_CARRAY, 1, image, 63);
	used = (size_t)Bused(p);
	assert_true(used <= IMAGE_MAX);
	memcpy(image, p, used);
	Bfree(p);
	Bfree(in);
	return used;
}

static void mutate(uint64_t *seed, char *image, size_t len)
{
	uint32_t n = 1 + rnd_below(seed, 3), v;
	size_t at;

	while (n-- > 0) {
		/* Half of the hits in the header and the directory. */
		at = rnd_below(seed, (uint32_t)(rnd_below(seed, 2)
						    ? len : len / 3));
		v = rnd_below(seed, 4) ? rnd_below(seed, 64) : rnd(seed);
		if (rnd_below(seed, 2)) {
			image[at] = (char)v;
		} else {
			at -= at % 4;
			memcpy(image + at, &v, sizeof(v));
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void mutated_buffers_are_refused_or_safe(void **state)
{
	static char image[IMAGE_MAX] __attribute__((aligned(8)));
	uint64_t seed = 4711;
	double end = now() + 1.0;
	long passed = 0, refused = 0, i;

	for (i = 0; i < 3000 || now() < end; i++) {
		size_t len = make_image(&seed, image);

		mutate(&seed, image, len);
		if (ubf_exercise(image, len, rnd(&seed)))
			passed++;
		else
			refused++;
	}
	assert_true(passed > 0);
	assert_true(refused > 0);
}

static void truncated_buffers_are_refused(void **state)
{
	static char image[IMAGE_MAX] __attribute__((aligned(8)));
	uint64_t seed = 1;
	size_t len = make_image(&seed, image), n;

	assert_int_equal(ow_ubf_check(image, len), 0);
	for (n = 0; n < len; n++)
		assert_true(ow_ubf_check(image, n) < 0);
	assert_true(ow_ubf_check(NULL, 100) < 0);
	assert_int_equal(ow_ubf_check(image, len + 8), 0);
}

static UBFH *two_strings(void)
{
	UBFH *p = Balloc(10, 200);

	assert_int_equal(Badds(p, F_STRING, (char *)"first one"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"second one"), 0);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	return p;
}

static void assert_refused(UBFH *p)
{
	assert_true(ow_ubf_check(p, p->used) < 0);
	Bfree(p);
}

static void overlapping_values_are_refused(void **state)
{
	UBFH *p = two_strings();
	struct ow_ubf_ent *e = ow_ubf_ent_at(p, 0);

	e[1].u.chunk.off = e[0].u.chunk.off;
	assert_refused(p);
}

static void string_without_its_nul_is_refused(void **state)
{
	UBFH *p = two_strings();

	Bfind(p, F_STRING, 1, NULL)[10] = 'x';
	assert_refused(p);
}

static void ids_out_of_order_are_refused(void **state)
{
	UBFH *p = two_strings();

	ow_ubf_ids(p)[p->first] = (uint32_t)F_STRING2;
	assert_refused(p);
}

static void wrong_waste_is_refused(void **state)
{
	UBFH *p = two_strings();

	p->waste = 8;
	assert_refused(p);
}

static void chunks_in_mixed_order_are_accepted(void **state)
{
	UBFH *p = two_strings();
	char longer[40] = "a longer string than it was before";

	assert_int_equal(Badds(p, F_STRING, (char *)"third"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"fourth"), 0);
	assert_int_equal(Bchg(p, F_STRING, 1, longer, 0), 0);
	assert_int_equal(Bchg(p, F_STRING, 3, longer, 0), 0);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	Bfree(p);
}

static void deleted_values_do_not_travel(void **state)
{
	UBFH *p = two_strings();
	long pin = 0x1234567812345678;
	size_t used, i;

	assert_int_equal(Badd(p, F_LONG, (char *)&pin, 0), 0);
	assert_int_equal(Bdel(p, F_STRING, 0), 0);
	assert_int_equal(Bchg(p, F_STRING, 0, (char *)"x", 0), 0);
	assert_int_equal(Bdel(p, F_LONG, 0), 0);
	used = (size_t)Bused(p);
	assert_null(memmem(p, used, "first", 5));
	assert_null(memmem(p, used, "one", 3));
	for (i = 0; i + 8 <= used; i++)
		assert_true(memcmp((char *)p + i, &pin, 8) != 0);
	Bfree(p);
}

static void adopt_and_resize_want_room_for_what_is_used(void **state)
{
	UBFH *p = two_strings();
	size_t used = (size_t)Bused(p);

	assert_true(ow_ubf_adopt(p, used, used - 8) < 0);
	assert_true(ow_ubf_adopt(p, used - 8, used) < 0);
	assert_int_equal(ow_ubf_adopt(p, used, used), 0);
	assert_int_equal(Bunused(p), 0);
	assert_true(ow_ubf_resize(p, used - 1) < 0);
	assert_true(ow_ubf_resize(NULL, 100) < 0);
	assert_int_equal(ow_ubf_used(p), used);
	assert_int_equal(ow_ubf_used(NULL), 0);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_buffers_are_refused_or_safe),
		cmocka_unit_test(truncated_buffers_are_refused),
		cmocka_unit_test(overlapping_values_are_refused),
		cmocka_unit_test(string_without_its_nul_is_refused),
		cmocka_unit_test(ids_out_of_order_are_refused),
		cmocka_unit_test(wrong_waste_is_refused),
		cmocka_unit_test(chunks_in_mixed_order_are_accepted),
		cmocka_unit_test(deleted_values_do_not_travel),
		cmocka_unit_test(adopt_and_resize_want_room_for_what_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
