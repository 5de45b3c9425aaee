/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_forms.c - random buffers as text, JSON and binary, and back
 *
 * Fields of every type, with and without names, with any bytes; buffers and
 * views at several levels. The buffer read must equal the one written. JSON has
 * six decimals, so reals here have no more.
 */
#include "tests/unit/libubf/view_test.h"

#include <stdio.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/json/ubf.h"
#include "tests/unit/libubf/locale_test.h"

#define ROUNDS 10000
#define SIZE 60000
#define V ((char *)"SAMPLE")

static void random_bytes(uint64_t *seed, char *to, size_t n, int from)
{
	size_t i;

	for (i = 0; i < n; i++) {
		to[i] = (char)(from + (int)rnd_below(seed, (uint32_t)(256 -
								     from)));
		if (rnd_below(seed, 3) == 0)
			to[i] = "\\\t\n =+-#'\"a"[rnd_below(seed, 11)];
	}
}

static void add_text(UBFH *p, uint64_t *seed)
{
	int n = (int)rnd_below(seed, 40), more = (int)rnd_below(seed, 3);
	char bytes[41];

	if (rnd_below(seed, 2)) {
		random_bytes(seed, bytes, (size_t)n, 0);
		assert_int_equal(Badd(p, F_CARRAY + more, bytes, n), 0);
	} else {
		random_bytes(seed, bytes, (size_t)n, 1);
		bytes[n] = '\0';
		assert_int_equal(Badd(p, F_STRING + more, bytes, 0), 0);
	}
}

static void add_number(UBFH *p, uint64_t *seed)
{
	long l = (long)((uint64_t)rnd(seed) << 32 | rnd(seed));
	int more = (int)rnd_below(seed, 3);
	double d = (double)(int)rnd(seed) / 64;
	float f = (float)(short)rnd(seed) / 32;
	short s = (short)l;
	char c = (char)l;

	assert_int_equal(Badd(p, F_LONG + more, (char *)&l, 0), 0);
	assert_int_equal(Badd(p, F_SHORT + more, (char *)&s, 0), 0);
	assert_int_equal(Badd(p, F_CHAR + more, &c, 0), 0);
	assert_int_equal(Badd(p, F_DOUBLE + more, (char *)&d, 0), 0);
	assert_int_equal(Badd(p, F_FLOAT + more, (char *)&f, 0), 0);
	assert_int_equal(Badd(p, F_PTR + more, (char *)&l, 0), 0);
}

static void set(char *cs, const char *cname, BFLDOCC occ, char *v, BFLDLEN n)
{
	assert_int_equal(CBvchg(cs, V, (char *)cname, occ, v, n, BFLD_CARRAY),
			 0);
}

static void add_view(UBFH *p, uint64_t *seed)
{
	struct SAMPLE *s = view_sample();
	BVIEWFLD f = { 0, "SAMPLE", (char *)s };
	char *cs = f.data, bytes[16];
	int i;

	s->one = (short)rnd(seed);
	s->two = (long)rnd(seed);
	s->three = (char)rnd(seed);
	s->five = (double)(int)rnd(seed) / 64;
	for (i = (int)rnd_below(seed, 3); i > 0; i--)
		set(cs, "four", i - 1, (char *)"2.5", 3);
	for (i = (int)rnd_below(seed, 4); i > 0; i--) {
		random_bytes(seed, bytes, 11, 1);
		set(cs, "seven", i - 1, bytes, (BFLDLEN)rnd_below(seed, 12));
		set(cs, "ten", i, bytes, (BFLDLEN)rnd_below(seed, 4));
		set(cs, "six", i - 1, (char *)"-12345", 6);
	}
	random_bytes(seed, bytes, 8, 0);
	set(cs, "eight", 1, bytes, (BFLDLEN)rnd_below(seed, 9));
	set(cs, "eleven", 0, bytes, 5);
	if (rnd_below(seed, 5) == 0)
		f.vname[0] = '\0';
	assert_int_equal(Badd(p, F_VIEW + (int)rnd_below(seed, 2), (char *)&f,
			      0), 0);
	free(s);
}

static UBFH *random_buffer(uint64_t *seed, int depth)
{
	int n = (int)rnd_below(seed, 8);
	UBFH *p = malloc(SIZE >> 2 * depth), *sub;

	assert_int_equal(Binit(p, SIZE >> 2 * depth), 0);
	for (; n > 0; n--) {
		switch (rnd_below(seed, 4)) {
		case 0:
			add_number(p, seed);
			break;
		case 1:
			add_view(p, seed);
			break;
		case 2:
			if (depth < 2) {
				sub = random_buffer(seed, depth + 1);
				(void)Badd(p, F_UBF, (char *)sub, 0);
				free(sub);
			}
			break;
		default:
			add_text(p, seed);
		}
	}
	return p;
}

static void same(UBFH *p, UBFH *q)
{
	assert_int_equal(ow_ubf_check(q, ow_ubf_used(q)), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bsubset(p, q), 1);
}

/* ---- the forms ---- */

struct bytes {
	char *at;
	size_t len, step;
};

static long give(char *buffer, long n, void *arg)
{
	struct bytes *b = arg;
	size_t k = b->len < b->step ? b->len : b->step;

	k = k < (size_t)n ? k : (size_t)n;
	memcpy(buffer, b->at, k);
	b->at += k;
	b->len -= k;
	return (long)k;
}

static char *print(UBFH *p, int (*write)(UBFH *p, FILE *f), size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	assert_int_equal(write(p, f), 0);
	fclose(f);
	return text;
}

static void through_text(UBFH *p, UBFH *q, size_t step)
{
	size_t len, again;
	char *text = print(p, Bfprint, &len), *twice;
	struct bytes b = { text, len, step };

	if (Bextreadcb(q, give, &b) < 0)
		fail_msg("%s:\n%s", Bstrerror(Berror), text);
	same(p, q);
	twice = print(q, Bfprint, &again);
	assert_int_equal(len, again);
	assert_memory_equal(text, twice, len);
	free(text);
	free(twice);
}

static void through_binary(UBFH *p, UBFH *q, size_t step)
{
	size_t len, again;
	char *data = print(p, Bwrite, &len), *twice;
	struct bytes b = { data, len, step };

	assert_int_equal(Breadcb(q, give, &b), 0);
	same(p, q);
	twice = print(q, Bwrite, &again);
	assert_int_equal(len, again);
	assert_memory_equal(data, twice, len);
	free(data);
	free(twice);
}

static void through_json(UBFH *p, UBFH *q, size_t step)
{
	struct ow_json_out out = { .grows = true, .escape = true };
	char error[OW_JSON_ERROR_MAX];

	assert_int_equal(ow_json_from_ubf(&out, p, error), 0);
	if (ow_json_to_ubf(q, out.text, out.len, error) < 0)
		fail_msg("%s", error);
	same(p, q);
	free(out.text);
}

static void rounds(void (*form)(UBFH *p, UBFH *q, size_t step))
{
	uint64_t seed = 20261121;
	UBFH *p, *q = malloc(2 * SIZE);
	int i;

	for (i = 0; i < ROUNDS; i++) {
		p = random_buffer(&seed, 0);
		assert_int_equal(Binit(q, 2 * SIZE), 0);
		form(p, q, 1 + rnd_below(&seed, 200));
		free(p);
	}
	free(q);
}

static void every_buffer_is_read_back_from_text(void **state)
{
	rounds(through_text);
}

static void every_buffer_is_read_back_from_binary(void **state)
{
	rounds(through_binary);
}

static void every_buffer_is_read_back_from_json(void **state)
{
	rounds(through_json);
}

/* The decimal point is '.' in every locale. */
static void every_locale_gives_the_same_text(void **state)
{
	static const double values[] = { 1.5, -1e15 - 0.5, 1e300, 0.015625 };
	UBFH *p = Balloc(10, 500), *q = Balloc(10, 500);
	char text[] = "DOUBLE == 1.5 && STRING * 2 == 5", *tree;
	size_t i;

	if (!comma_locale_begin())
		skip();
	for (i = 0; i < 4; i++)
		assert_int_equal(Badd(p, F_DOUBLE, (char *)&values[i], 0), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"2.5"), 0);
	assert_int_equal(CBadd(p, F_FLOAT, (char *)"2.5", 0, BFLD_STRING), 0);
	assert_string_equal(Bfinds(p, F_FLOAT, 0), "2.50000");
	assert_string_equal(Bfinds(p, F_DOUBLE, 1),
			    "-1000000000000000.500000");
	through_text(p, q, 7);
	assert_int_equal(Binit(q, 500), 0);
	through_json(p, q, 7);
	tree = Bboolco(text);
	assert_int_equal(Bboolev(p, tree), 1);
	Btreefree(tree);
	comma_locale_end();
	Bfree(p);
	Bfree(q);
}

/* ---- structures ---- */

static void every_structure_is_read_back_from_text(void **state)
{
	struct SAMPLE *back;
	uint64_t seed = 3;
	UBFH *p = Balloc(10, 4000);
	BVIEWFLD *f;
	char *text = NULL;
	size_t len;
	FILE *file;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		assert_int_equal(Binit(p, 4000), 0);
		add_view(p, &seed);
		f = (BVIEWFLD *)Bfind(p, F_VIEW + !Bpres(p, F_VIEW, 0), 0,
				      NULL);
		if (f->vname[0] == '\0')
			continue;
		file = open_memstream(&text, &len);
		assert_int_equal(Bvfprint(f->data, V, file), 0);
		fclose(file);
		file = fmemopen(text, len, "r");
		back = view_sample();
		assert_int_equal(Bvextread((char *)back, V, file), 0);
		assert_int_equal(Bvcmp(f->data, V, (char *)back, V), 0);
		fclose(file);
		free(back);
		free(text);
	}
	Bfree(p);
}

static int setup(void **state)
{
	setenv("NDRX_APIFLAGS", "json_escape,ubf_ptrparse", 1);
	return view_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_buffer_is_read_back_from_text),
		cmocka_unit_test(every_buffer_is_read_back_from_binary),
		cmocka_unit_test(every_buffer_is_read_back_from_json),
		cmocka_unit_test(every_locale_gives_the_same_text),
		cmocka_unit_test(every_structure_is_read_back_from_text),
	};

	return cmocka_run_group_tests(tests, setup, view_teardown);
}
