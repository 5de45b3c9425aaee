/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_conv.c - the conversion matrix, and numbers as text
 */
#include "tests/unit/libubf/ubf_test.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "libubf/base/numtext.h"

static const BFLDID fields[BFLD_MAX + 1] = {
	F_SHORT, F_LONG, F_CHAR, F_FLOAT, F_DOUBLE, F_STRING, F_CARRAY, 0, 0,
	F_PTR,	 F_UBF,	 F_VIEW,
};

/* Add a text to a field of a type and read it as text. */
static void through(UBFH *p, int type, const char *from, const char *want)
{
	char got[400];
	BFLDLEN len = sizeof(got);

	assert_int_equal(CBchg(p, fields[type], 0, (char *)from, 0,
			       BFLD_STRING), 0);
	assert_int_equal(CBget(p, fields[type], 0, got, &len, BFLD_STRING), 0);
	assert_string_equal(got, want);
	assert_int_equal(len, strlen(want) + 1);
}

static void text_converts_to_every_type_and_back(void **state)
{
	UBFH *p = Balloc(20, 2000);

	through(p, BFLD_SHORT, "-123", "-123");
	through(p, BFLD_SHORT, "70000", "4464");
	through(p, BFLD_SHORT, " 12abc", "12");
	through(p, BFLD_LONG, "9223372036854775807", "9223372036854775807");
	through(p, BFLD_LONG, "-9223372036854775808", "-9223372036854775808");
	through(p, BFLD_LONG, "99999999999999999999", "9223372036854775807");
	through(p, BFLD_LONG, "text", "0");
	through(p, BFLD_CHAR, "xyz", "x");
	through(p, BFLD_CHAR, "", "");
	through(p, BFLD_FLOAT, "1.25", "1.25000");
	through(p, BFLD_DOUBLE, "-1e3", "-1000.000000");
	through(p, BFLD_STRING, "same", "same");
	through(p, BFLD_CARRAY, "bytes", "bytes");
	through(p, BFLD_CARRAY, "", "");
	through(p, BFLD_PTR, "0xdeadbeef", "0xdeadbeef");
	Bfree(p);
}

struct number_case {
	double in;
	short s;
	long l;
	unsigned char c;
	float f;
};

/* Numbers from each number type to each other. */
static void numbers_convert_as_casts_do(void **state)
{
	static const struct number_case cases[] = {
		{ 65, 65, 65, 65, 65 },
		{ -1, -1, -1, 255, -1 },
		{ 70000, 4464, 70000, 112, 70000 },
		{ 2.75, 2, 2, 2, 2.75f },
		{ -2.75, -2, -2, 254, -2.75f },
	};
	UBFH *p = Balloc(20, 2000);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct number_case *k = cases + i;
		short s;
		long l;
		unsigned char c;
		float f;
		double d = k->in;
		int n;

		assert_int_equal(Bchg(p, F_DOUBLE, 0, (char *)&d, 0), 0);
		CBget(p, F_DOUBLE, 0, (char *)&s, NULL, BFLD_SHORT);
		CBget(p, F_DOUBLE, 0, (char *)&l, NULL, BFLD_LONG);
		CBget(p, F_DOUBLE, 0, (char *)&c, NULL, BFLD_CHAR);
		CBget(p, F_DOUBLE, 0, (char *)&f, NULL, BFLD_FLOAT);
		CBget(p, F_DOUBLE, 0, (char *)&n, NULL, BFLD_INT);
		assert_int_equal(s, k->s);
		assert_int_equal(l, k->l);
		assert_int_equal(n, k->l);
		assert_int_equal(c, k->c);
		assert_true(f == k->f);
		assert_int_equal(Bchg(p, F_LONG, 0, (char *)&k->l, 0), 0);
		CBget(p, F_LONG, 0, (char *)&s, NULL, BFLD_SHORT);
		CBget(p, F_LONG, 0, (char *)&d, NULL, BFLD_DOUBLE);
		assert_int_equal(s, k->s);
		assert_true(d == (double)k->l);
	}
	Bfree(p);
}

static void char_is_an_unsigned_number(void **state)
{
	UBFH *p = Balloc(20, 2000);
	char c = (char)0xe9;
	long l;
	double d;

	assert_int_equal(Badd(p, F_CHAR, &c, 0), 0);
	assert_int_equal(CBget(p, F_CHAR, 0, (char *)&l, NULL, BFLD_LONG), 0);
	assert_int_equal(l, 233);
	assert_int_equal(CBget(p, F_CHAR, 0, (char *)&d, NULL, BFLD_DOUBLE),
			 0);
	assert_true(d == 233);
	Bfree(p);
}

static void reals_that_fit_no_long_saturate(void **state)
{
	UBFH *p = Balloc(20, 2000);
	static const double in[] = { 1e300, -1e300, NAN, INFINITY };
	static const long want[] = { LONG_MAX, LONG_MIN, 0, LONG_MAX };
	long l;
	int i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(Bchg(p, F_DOUBLE, 0, (char *)&in[i], 0), 0);
		assert_int_equal(CBget(p, F_DOUBLE, 0, (char *)&l, NULL,
				       BFLD_LONG), 0);
		assert_int_equal(l, want[i]);
	}
	Bfree(p);
}

static void carray_becomes_text_up_to_its_first_nul(void **state)
{
	UBFH *p = Balloc(20, 2000);
	char got[16];
	BFLDLEN len = sizeof(got);
	long l;

	assert_int_equal(Badd(p, F_CARRAY, (char *)"12\0junk", 7), 0);
	assert_int_equal(CBget(p, F_CARRAY, 0, got, &len, BFLD_STRING), 0);
	assert_string_equal(got, "12");
	assert_int_equal(len, 3);
	assert_int_equal(CBget(p, F_CARRAY, 0, (char *)&l, NULL, BFLD_LONG),
			 0);
	assert_int_equal(l, 12);
	assert_int_equal(CBadd(p, F_STRING, (char *)"ab\0cd", 5, BFLD_CARRAY),
			 0);
	assert_int_equal(Blen(p, F_STRING, 0), 3);
	Bfree(p);
}

static void impossible_conversions_are_reported(void **state)
{
	UBFH *p = Balloc(20, 2000), *in = Balloc(1, 10);
	char buf[16];

	assert_int_equal(CBadd(p, F_LONG, (char *)in, 0, BFLD_UBF), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(CBadd(p, F_LONG, (char *)"1", 0, 12), -1);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(CBadd(p, F_LONG, (char *)"1", 0, BFLD_RFU0), -1);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(CBadd(p, F_LONG, (char *)"1", 0, -1), -1);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(CBadd(p, F_LONG, (char *)"1", -1, BFLD_CARRAY), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Badds(p, F_LONG, (char *)"1"), 0);
	assert_int_equal(CBget(p, F_LONG, 0, buf, NULL, BFLD_UBF), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(CBget(p, F_LONG, 0, buf, NULL, 77), -1);
	assert_int_equal(Berror, BTYPERR);
	Bfree(p);
	Bfree(in);
}

/* Every type to every type: a result or an error, no crash. */
static void every_pair_of_types_is_safe(void **state)
{
	UBFH *p = Balloc(50, 4000), *in = Balloc(1, 10), *out = Balloc(5, 900);
	int from, to;
	BFLDLEN len;
	char *v;

	Badd(p, F_UBF, (char *)in, 0);
	for (from = BFLD_MIN; from <= BFLD_MAX; from++) {
		if (fields[from] != 0 && from != BFLD_VIEW && from != BFLD_UBF)
			assert_int_equal(Badds(p, fields[from],
					       (char *)"65"), 0);
		for (to = BFLD_MIN; to <= BFLD_MAX; to++) {
			char *p_out = (char *)out;

			len = 900;
			CBget(p, fields[from], 0, p_out, &len, to);
			Binit(out, 900);
			CBfind(p, fields[from], 0, &len, to);
			v = Btypcvt(&len, to, Bfind(p, fields[from], 0, NULL),
				    from, 2);
			free(v);
		}
	}
	Bfree(p);
	Bfree(in);
	Bfree(out);
}

static void cbfind_value_is_valid_until_the_next_call(void **state)
{
	UBFH *p = Balloc(20, 9000);
	char big[3000];
	BFLDLEN len;

	memset(big, 'b', sizeof(big));
	assert_int_equal(Badds(p, F_LONG, (char *)"5"), 0);
	assert_int_equal(Badd(p, F_CARRAY, big, sizeof(big)), 0);
	assert_string_equal(CBfind(p, F_LONG, 0, &len, BFLD_STRING), "5");
	assert_int_equal(len, 2);
	assert_int_equal(strlen(Bfinds(p, F_CARRAY, 0)), sizeof(big));
	assert_true(*(double *)CBfind(p, F_LONG, 0, &len, BFLD_DOUBLE) == 5);
	assert_ptr_equal(CBfind(p, F_LONG, 0, &len, BFLD_LONG),
			 Bfind(p, F_LONG, 0, NULL));
	Bfree(p);
}

static void typcvt_returns_malloced_values(void **state)
{
	BFLDLEN len = 0;
	char *s = Btypcvt(&len, BFLD_STRING, (char *)&(long){ 42 }, BFLD_LONG,
			  0);

	assert_string_equal(s, "42");
	assert_int_equal(len, 3);
	free(s);
	assert_null(Btypcvt(&len, BFLD_LONG, NULL, BFLD_STRING, 0));
	assert_int_equal(Berror, BEINVAL);
	assert_null(Btypcvt(&len, BFLD_LONG, (char *)"1", 50, 0));
	assert_int_equal(Berror, BTYPERR);
	assert_null(Btypcvt(&len, BFLD_RFU0, (char *)"1", BFLD_STRING, 0));
	assert_int_equal(Berror, BTYPERR);
}

static void same_real(double v)
{
	char got[OW_NUMTEXT_MAX], want[OW_NUMTEXT_MAX];
	int decimals;

	for (decimals = OW_NUMTEXT_FLOAT; decimals <= OW_NUMTEXT_DOUBLE;
	     decimals++) {
		snprintf(want, sizeof(want), "%.*f", decimals, v);
		assert_int_equal(ow_numtext_real(got, v, decimals),
				 strlen(want));
		assert_string_equal(got, want);
	}
}

static void reals_print_as_printf_does(void **state)
{
	static const double edges[] = { 0, -0.0, 0.5e-6, 1.5e-6, 2.5e-6, 1e-7,
		0.0000005, 0.9999995, 0.99999949999, 1, 0.125, 1e15, 4e12,
		4398046511103.5, 4398046511104, 9007199254740992.0, 1e22,
		1e300, DBL_MIN, DBL_MAX, -DBL_MAX, 5e-324, 1e-30, NAN,
		INFINITY, 0.000001, 123456.7890625, 2.0000005 };
	uint64_t seed = 8;
	size_t i;
	double d;

	for (i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		same_real(edges[i]);
	for (i = 0; i < 200000; i++) {
		d = (double)(int32_t)rnd(&seed) /
		    (double)(1u << rnd_below(&seed, 31));
		same_real(d);
		same_real(d * (double)rnd(&seed));
		same_real(d / (double)(rnd(&seed) | 1));
	}
}

static void longs_print_and_parse_as_the_c_library_does(void **state)
{
	static const long edges[] = { 0, 1, -1, 9, 10, LONG_MAX, LONG_MIN,
				      999999999999999999, 1000000000000000000 };
	char got[OW_NUMTEXT_MAX], want[64];
	uint64_t seed = 3;
	size_t i;
	long v;

	for (i = 0; i < 100000; i++) {
		v = (long)((uint64_t)rnd(&seed) << 32 | rnd(&seed)) >>
		    rnd_below(&seed, 64);
		if (i < sizeof(edges) / sizeof(*edges))
			v = edges[i];
		snprintf(want, sizeof(want), "%ld", v);
		ow_numtext_long(got, v);
		assert_string_equal(got, want);
		assert_int_equal(ow_numtext_to_long(got), v);
	}
	assert_int_equal(ow_numtext_to_long("+5"), 5);
	assert_int_equal(ow_numtext_to_long("- 5"), 0);
	assert_int_equal(ow_numtext_to_long("\t -7.9"), -7);
	assert_int_equal(ow_numtext_to_long(""), 0);
	assert_int_equal(ow_numtext_to_long("000000000000000000000012"), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_converts_to_every_type_and_back),
		cmocka_unit_test(numbers_convert_as_casts_do),
		cmocka_unit_test(char_is_an_unsigned_number),
		cmocka_unit_test(reals_that_fit_no_long_saturate),
		cmocka_unit_test(carray_becomes_text_up_to_its_first_nul),
		cmocka_unit_test(impossible_conversions_are_reported),
		cmocka_unit_test(every_pair_of_types_is_safe),
		cmocka_unit_test(cbfind_value_is_valid_until_the_next_call),
		cmocka_unit_test(typcvt_returns_malloced_values),
		cmocka_unit_test(reals_print_as_printf_does),
		cmocka_unit_test(longs_print_and_parse_as_the_c_library_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
