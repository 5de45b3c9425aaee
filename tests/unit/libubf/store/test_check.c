/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_check.c - bytes from an attacker are refused or safe to use
 *
 * Valid buffers are mutated at random. Those that pass the check are used in
 * all kinds of calls; builds with sanitizers find every wrong access.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>
#include <time.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/store/layout.h"

#include "tests/fuzz/ubf/exercise.h"
#include "tests/fuzz/pages/paged.h"

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
		/* Half of the changes go to the header and the directory. */
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

static struct ow_ubf_chunk chunk_of(UBFH *p, uint32_t rank)
{
	return ow_ubf_chunk_of(p, ow_ubf_ent_at(p, BFLD_STRING, rank));
}

static void set_chunk(UBFH *p, uint32_t rank, struct ow_ubf_chunk c)
{
	ow_ubf_chunk_write(p, ow_ubf_ent_at(p, BFLD_STRING, rank), c);
}

static void overlapping_values_are_refused(void **state)
{
	UBFH *p = two_strings();
	struct ow_ubf_chunk c = chunk_of(p, 1);

	c.off = chunk_of(p, 0).off;
	set_chunk(p, 1, c);
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

	ow_ubf_ids(p)[ow_ubf_first(p)] = (uint32_t)F_STRING2;
	assert_refused(p);
}

static void wrong_waste_is_refused(void **state)
{
	UBFH *p = two_strings(), *q = malloc(200);

	ow_ubf_dir(p)->waste = 8;
	assert_refused(p);

	assert_non_null(q);
	assert_int_equal(Binit(q, 200), 0);
	assert_int_equal(Badds(q, F_STRING, (char *)"one"), 0);
	assert_int_equal(Badds(q, F_STRING, (char *)"two"), 0);
	assert_int_equal(Bdel(q, F_STRING, 0), 0);
	assert_false(ow_ubf_plain(q));
	assert_int_equal(ow_ubf_waste(q), 4);
	assert_int_equal(ow_ubf_check(q, q->used), 0);
	q->waste = 2;
	assert_refused(q);
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

/* The strings begin in a row; one of them, or a carray, ends the row. */
static void what_follows_strings_in_a_row_is_checked(void **state)
{
	char longer[40] = "a longer string than it was before";
	int row, i;
	char *last;
	UBFH *p;

	for (row = 0; row < 4; row++) {
		p = Balloc(12, 600);
		for (i = 0; i < 4; i++)
			assert_int_equal(Badds(p, F_STRING,
					       (char *)"twelve bytes"), 0);
		if (row > 0)
			assert_int_equal(Bchg(p, F_STRING, row - 1, longer, 0),
					 0);
		assert_int_equal(Badd(p, F_CARRAY, longer, 7), 0);
		assert_int_equal(ow_ubf_check(p, p->used), 0);
		for (i = 0; i < 4; i++) {
			last = Bfind(p, F_STRING, i, NULL);
			last += strlen(last);
			*last = 'x';
			assert_true(ow_ubf_check(p, p->used) < 0);
			*last = '\0';
		}
		ow_ubf_dir(p)->waste += 4;
		assert_true(ow_ubf_check(p, p->used) < 0);
		ow_ubf_dir(p)->waste -= 4;
		ow_ubf_ids(p)[ow_ubf_first(p) + 4] = (uint32_t)F_LONG;
		assert_refused(p);
	}
}

static void overlaps_are_found_in_every_order(void **state)
{
	UBFH *p = Balloc(200, 8000);
	struct ow_ubf_chunk was, c;
	int i, k;

	for (i = 0; i < 100; i++)
		assert_int_equal(Badds(p, ID(BFLD_STRING, 1 + i * 37 % 100),
				       (char *)"twelve bytes"), 0);
	assert_int_equal(ow_ubf_check(p, p->used), 0);
	for (i = 0; i < 100; i++) {
		was = c = chunk_of(p, (uint32_t)i);
		k = (i * 31 + 7) % 100;
		c.off = chunk_of(p, (uint32_t)k).off;
		set_chunk(p, (uint32_t)i, c);
		assert_true(k == i || ow_ubf_check(p, p->used) < 0);
		c.off = was.off + 4;
		set_chunk(p, (uint32_t)i, c);
		assert_true(ow_ubf_check(p, p->used) < 0);
		set_chunk(p, (uint32_t)i, was);
	}
	Bfree(p);
}

/* Strings of all lengths, with a NUL too many, too early or missing. */
static void every_string_has_one_nul_at_its_end(void **state)
{
	char text[300];
	UBFH *p;
	char *v;
	int len, i;

	for (len = 1; len < 280; len++) {
		memset(text, 'x', sizeof(text));
		text[len - 1] = '\0';
		p = Balloc(2, 600);
		assert_int_equal(Badds(p, F_STRING, text), 0);
		assert_int_equal(ow_ubf_check(p, p->used), 0);
		v = Bfind(p, F_STRING, 0, NULL);
		v[len - 1] = 'x';
		assert_true(ow_ubf_check(p, p->used) < 0);
		v[len - 1] = '\0';
		for (i = 0; i < len - 1; i++) {
			v[i] = '\0';
			assert_true(ow_ubf_check(p, p->used) < 0);
			v[i] = 'x';
		}
		assert_int_equal(ow_ubf_check(p, p->used), 0);
		Bfree(p);
	}
}

/* A value that has shrunk holds the number of its spare bytes. */
static void wrong_spare_bytes_are_refused(void **state)
{
	static const uint32_t wrong[] = { 0, 3, 4, 12, 20, 1000, 0xfffffff8 };
	UBFH *p = two_strings();
	struct ow_ubf_chunk c;
	uint32_t *spare;
	size_t i;

	assert_int_equal(Bchgs(p, F_STRING, 0, (char *)"x"), 0);
	assert_int_equal(ow_ubf_check(p, p->used), 0);
	c = chunk_of(p, 0);
	assert_true(c.off & OW_UBF_LOOSE);
	spare = (uint32_t *)(ow_ubf_chunk_at(p, c) + 4);
	assert_int_equal(*spare, 8);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		*spare = wrong[i];
		assert_true(ow_ubf_check(p, p->used) < 0);
	}
	/* `waste` is set to match. */
	for (i = 0; i < 8; i++) {
		*spare = (uint32_t)i;
		ow_ubf_dir(p)->waste = 8 - (uint32_t)i;
		assert_true(i == 4 || ow_ubf_check(p, p->used) < 0);
	}
	ow_ubf_dir(p)->waste = 0;
	*spare = 8;
	assert_int_equal(ow_ubf_check(p, p->used), 0);
	c.off += 4;
	set_chunk(p, 0, c);
	assert_refused(p);
}

static void refuse_word(UBFH *p, uint32_t *word, uint32_t value)
{
	uint32_t was = *word;

	*word = value;
	assert_true(ow_ubf_check(p, p->used) < 0);
	*word = was;
}

static void damaged_pages_are_refused(void **state)
{
	UBFH *p = ubf_paged(0);
	struct ow_ubf_dir *dir = ow_ubf_dir(p);
	struct ow_ubf_index x = ow_ubf_index(p);
	uint32_t i;

	for (i = 0; i < dir->pages; i++) {
		refuse_word(p, x.key + i, x.key[i] + 1);
		refuse_word(p, x.key + i, x.key[i] - 1);
		refuse_word(p, x.rank + i, x.rank[i] + 1);
		refuse_word(p, x.rank + i, UINT32_MAX);
		refuse_word(p, x.page + i, x.page[(i + 1) % dir->pages]);
		refuse_word(p, x.page + i, dir->pages);
		refuse_word(p, x.page + i, UINT32_MAX);
	}
	refuse_word(p, &dir->pages, 0);
	refuse_word(p, &dir->pages, dir->pages - 1);
	refuse_word(p, &dir->pages, dir->pages + 1);
	refuse_word(p, &dir->pages, UINT32_MAX);
	refuse_word(p, &dir->first, 2);
	refuse_word(p, &dir->slots, dir->slots - OW_UBF_PAGE);
	refuse_word(p, &dir->slots, dir->slots + 2);
	refuse_word(p, &p->heap, p->heap - 8);
	refuse_word(p, &p->magic, OW_UBF_MAGIC);
	refuse_word(p, &p->magic, OW_UBF_MAGIC_DENSE);
	assert_int_equal(ow_ubf_check(p, p->used), 0);
	Bfree(p);
}

/* All ids are the same, so their order does not show it. */
static void a_page_named_twice_is_refused(void **state)
{
	UBFH *p = Balloc(20000, 0);
	struct ow_ubf_index x;
	long l;
	int i;

	for (l = 0; l < 9000; l++)
		assert_int_equal(Badd(p, l % 2 ? F_LONG : F_LONG2, (char *)&l,
				      0), 0);
	assert_true(ow_ubf_dir(p)->pages > 3);
	x = ow_ubf_index(p);
	for (i = 0; i < 2; i++)
		refuse_word(p, x.page + i, x.page[i + 1]);
	assert_int_equal(ow_ubf_check(p, p->used), 0);
	Bfree(p);
}

static void mutated_pages_are_refused_or_safe(void **state)
{
	UBFH *p = ubf_paged(0), *q = malloc(p->used);
	uint64_t seed = 99;
	long passed = 0, i, n, k;
	uint32_t *word;

	assert_non_null(q);
	n = getenv("OW_LONG") != NULL ? 200000 : 2000;
	for (i = 0; i < n; i++) {
		memcpy(q, p, p->used);
		for (k = rnd_below(&seed, 3); k >= 0; k--) {
			word = ubf_paged_word(p, rnd(&seed), rnd(&seed));
			word = (uint32_t *)((char *)q + ((char *)word -
							 (char *)p));
			*word = rnd_below(&seed, 2) ? rnd_below(&seed, 8000)
						    : *word + 1;
		}
		passed += ubf_exercise(q, p->used, rnd(&seed));
	}
	assert_true(passed > 0 && passed < n);
	Bfree(p);
	free(q);
}

/* A peer may send pages that are almost empty. */
static void sparse_pages_are_accepted_and_take_more_entries(void **state)
{
	UBFH *p = ubf_paged(1), *q;
	long size, n = Bnum(p), l = 0;
	size_t used = p->used;
	int i;

	assert_int_equal(ow_ubf_dir(p)->pages, ow_ubf_pages_max(p));

	for (size = (long)used; size < (long)used + 400000; size += 50000) {
		q = malloc((size_t)size);
		assert_non_null(q);
		memcpy(q, p, used);
		assert_int_equal(ow_ubf_adopt(q, used, (size_t)size), 0);
		for (i = 0; i < 20000; i++) {
			if (Badd(q, ID(BFLD_LONG, 1 + i * 7919L % 20000),
				 (char *)&l, 0) < 0)
				break;
			if (i % 500 == 0)
				assert_int_equal(ow_ubf_check(q, q->used), 0);
		}
		assert_int_equal(ow_ubf_check(q, q->used), 0);
		assert_int_equal(Bnum(q), n + i);
		free(q);
	}
	Bfree(p);
}

static void deleted_values_are_not_sent(void **state)
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

static void adopt_and_resize_refuse_less_than_is_used(void **state)
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
		cmocka_unit_test(what_follows_strings_in_a_row_is_checked),
		cmocka_unit_test(overlaps_are_found_in_every_order),
		cmocka_unit_test(every_string_has_one_nul_at_its_end),
		cmocka_unit_test(wrong_spare_bytes_are_refused),
		cmocka_unit_test(damaged_pages_are_refused),
		cmocka_unit_test(a_page_named_twice_is_refused),
		cmocka_unit_test(mutated_pages_are_refused_or_safe),
		cmocka_unit_test(
			sparse_pages_are_accepted_and_take_more_entries),
		cmocka_unit_test(deleted_values_are_not_sent),
		cmocka_unit_test(adopt_and_resize_refuse_less_than_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
