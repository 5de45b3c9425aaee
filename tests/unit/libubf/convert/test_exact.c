/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exact.c - floats and doubles as text, and back without a loss
 *
 * Fixed decimals (five for a float, six for a double) if they are exact, else
 * as many digits as needed. Reals of any bits, in buffers and in structures.
 */
#include "tests/unit/libubf/view_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/libubf/locale_test.h"

#define ROUNDS 200
#define OCCS 500

static char *print(UBFH *p)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	return text;
}

static void read_back(const char *text, UBFH *p)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");

	if (Bextread(p, f) < 0)
		fail_msg("%s:\n%s", Bstrerror(Berror), text);
	fclose(f);
}

/* Any bits, but no signalling NaN: computations make it quiet. */
static double random_double(uint64_t *seed)
{
	uint64_t bits = (uint64_t)rnd(seed) << 32 | rnd(seed);
	double d;

	switch (rnd_below(seed, 8)) {
	case 0:
		return (double)(int64_t)bits / 1e6;
	case 1:
		return (double)(int)bits / 1000;
	case 2:
		bits >>= 12;	/* subnormal */
		break;
	case 3:
		bits |= 0x7ff8ull << 48;	/* NaN */
		break;
	default:
		if ((bits >> 52 & 0x7ff) == 0x7ff)
			bits |= 1ull << 51;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static float random_float(uint64_t *seed)
{
	uint32_t bits = rnd(seed);
	float f;

	switch (rnd_below(seed, 8)) {
	case 0:
		return (float)(int)bits / 1e5f;
	case 1:
		bits >>= 9;	/* subnormal */
		break;
	case 2:
		bits |= 0x7fc00000;	/* NaN */
		break;
	default:
		if ((bits >> 23 & 0xff) == 0xff)
			bits |= 1u << 22;
	}
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void same_bits(UBFH *p, UBFH *q, BFLDID id, size_t size)
{
	char *a, *b, *text;
	BFLDOCC i, n = Boccur(p, id);

	assert_int_equal(Boccur(q, id), n);
	for (i = 0; i < n; i++) {
		a = Bfind(p, id, i, NULL);
		b = Bfind(q, id, i, NULL);
		if (memcmp(a, b, size) == 0)
			continue;
		text = print(p);
		fail_msg("occurrence %d of %s: %a became %a:\n%s", i,
			 Bfname(id),
			 id == F_FLOAT ? (double)*(float *)a : *(double *)a,
			 id == F_FLOAT ? (double)*(float *)b : *(double *)b,
			 text);
	}
}

static void every_real_is_read_back_from_its_text(void **state)
{
	UBFH *p = Balloc(2 * OCCS, 1 << 20), *q = Balloc(2 * OCCS, 1 << 20);
	uint64_t seed = 20261122;
	char *text;
	double d;
	float f;
	int i, k;

	for (i = 0; i < ROUNDS; i++) {
		assert_int_equal(Binit(p, 1 << 20), 0);
		assert_int_equal(Binit(q, 1 << 20), 0);
		for (k = 0; k < OCCS; k++) {
			d = random_double(&seed);
			f = random_float(&seed);
			assert_int_equal(Badd(p, F_DOUBLE, (char *)&d, 0), 0);
			assert_int_equal(Badd(p, F_FLOAT, (char *)&f, 0), 0);
		}
		text = print(p);
		read_back(text, q);
		free(text);
		same_bits(p, q, F_DOUBLE, sizeof(d));
		same_bits(p, q, F_FLOAT, sizeof(f));
	}
	Bfree(p);
	Bfree(q);
}

static void every_real_of_a_structure_is_read_back(void **state)
{
	struct SAMPLE *s = view_sample(), *t = view_sample();
	uint64_t seed = 4;
	char *text;
	size_t len;
	FILE *file;
	int i;

	for (i = 0; i < 10000; i++) {
		s->five = random_double(&seed);
		s->C_four = 2;
		s->four[0] = random_float(&seed);
		s->four[1] = random_float(&seed);
		file = open_memstream(&text, &len);
		assert_int_equal(Bvfprint((char *)s, (char *)"SAMPLE", file),
				 0);
		fclose(file);
		file = fmemopen(text, len, "r");
		assert_int_equal(Bvsinit((char *)t, (char *)"SAMPLE"), 0);
		assert_int_equal(Bvextread((char *)t, (char *)"SAMPLE", file),
				 0);
		fclose(file);
		assert_memory_equal(&s->five, &t->five, sizeof(s->five));
		assert_memory_equal(s->four, t->four, sizeof(s->four));
		free(text);
	}
	free(s);
	free(t);
}

static void prints(BFLDID id, double d, const char *want)
{
	UBFH *p = Balloc(2, 500);
	char line[400], *text;

	assert_int_equal(CBadd(p, id, (char *)&d, 0, BFLD_DOUBLE), 0);
	text = print(p);
	snprintf(line, sizeof(line), "%s\t%s\n", Bfname(id), want);
	assert_string_equal(text, line);
	free(text);
	Bfree(p);
}

static void the_fixed_decimals_are_used_if_exact(void **state)
{
	prints(F_DOUBLE, 1.5, "1.500000");
	prints(F_DOUBLE, 0.1, "0.100000");
	prints(F_DOUBLE, -123456.789012, "-123456.789012");
	prints(F_DOUBLE, 0.000001, "0.000001");
	prints(F_DOUBLE, 1e15, "1000000000000000.000000");
	prints(F_DOUBLE, 9007199254740993.0, "9007199254740992.000000");
	prints(F_DOUBLE, -0.0, "-0.000000");
	prints(F_FLOAT, 0.1, "0.10000");
	prints(F_FLOAT, 33333.33, "33333.32812");
	prints(F_FLOAT, 16777217, "16777216.00000");
}

static void more_digits_are_used_if_needed(void **state)
{
	prints(F_DOUBLE, 1.0 / 3, "0.3333333333333333");
	prints(F_DOUBLE, 0.1 + 0.2, "0.30000000000000004");
	prints(F_DOUBLE, -1e-9, "-1e-09");
	prints(F_DOUBLE, 1.2345678, "1.2345678");
	prints(F_DOUBLE, 5e-324, "4.94065645841247e-324");
	prints(F_FLOAT, 1.0 / 3, "0.33333334");
	prints(F_FLOAT, 1e-20, "1e-20");
}

static void nan_and_infinity_are_written_as_words(void **state)
{
	double payload = NAN;

	((unsigned char *)&payload)[0] = 0x2a;
	prints(F_DOUBLE, INFINITY, "inf");
	prints(F_FLOAT, -INFINITY, "-inf");
	prints(F_DOUBLE, NAN, "nan");
	prints(F_DOUBLE, copysign(NAN, -1), "-nan");
	prints(F_DOUBLE, payload, "nan(0x2a)");
}

/* Conversions to text still have the fixed decimals. */
static void conversions_round_to_the_fixed_decimals(void **state)
{
	UBFH *p = Balloc(2, 500);
	double third = 1.0 / 3;

	assert_int_equal(Badd(p, F_DOUBLE, (char *)&third, 0), 0);
	assert_string_equal(Bfinds(p, F_DOUBLE, 0), "0.333333");
	Bfree(p);
}

static void every_locale_gives_the_same_text(void **state)
{
	if (!comma_locale_begin())
		skip();
	prints(F_DOUBLE, 1.0 / 3, "0.3333333333333333");
	prints(F_DOUBLE, 1.25e-9, "1.25e-09");
	comma_locale_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_real_is_read_back_from_its_text),
		cmocka_unit_test(every_real_of_a_structure_is_read_back),
		cmocka_unit_test(the_fixed_decimals_are_used_if_exact),
		cmocka_unit_test(more_digits_are_used_if_needed),
		cmocka_unit_test(nan_and_infinity_are_written_as_words),
		cmocka_unit_test(conversions_round_to_the_fixed_decimals),
		cmocka_unit_test(every_locale_gives_the_same_text),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
