/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_regex.c - words compared give the result of regexec(); refused patterns
 *
 * Random patterns of pieces that are words and that are not, random texts of
 * the same letters and of bytes that are no characters, in the C locale and in
 * UTF-8.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "libubf/regex/regex.h"

#define PATTERNS 20000
#define TEXTS 12

static const char *const pieces[] = {
	"a", "b", "ab", "aab", " ", "-", ".*", ".*", "^", "$", "\\.", "\\*",
	".", "a*", "b+", "(a|b)", "[ab]", "\\\\", "\xc3\xa4", "]", "}", "a?",
	"\\$", "{", "\\", "\n",
};

static const char *const bits[] = {
	"a", "b", "ab", "aab", " ", "-", ".", "*", "\\", "\xc3\xa4", "\xff",
	"\xc3", "\n", "]", "}", "$", "^",
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(*(a))))

static void join(uint64_t *seed, const char *const *from, uint32_t n,
		 uint32_t max, char *to)
{
	uint32_t k = rnd_below(seed, max + 1);

	for (*to = '\0'; k > 0; k--)
		strcat(to, from[rnd_below(seed, n)]);
}

/* Most patterns are words. */
static void make_pattern(uint64_t *seed, char *to)
{
	uint32_t simple = rnd_below(seed, 4) != 0 ? 11 : COUNT(pieces);

	join(seed, pieces, simple, 5, to);
	if (rnd_below(seed, 3) == 0)
		strcat(to, "$");
	if (rnd_below(seed, 3) == 0) {
		memmove(to + 1, to, strlen(to) + 1);
		*to = '^';
	}
}

static int compare_texts(uint64_t *seed, const char *pattern,
			 const struct ow_regex *m, const regex_t *re)
{
	char text[128];
	int i, fast, slow;

	for (i = 0; i < TEXTS; i++) {
		join(seed, bits, COUNT(bits), 8, text);
		fast = ow_regex_run(m, text, strlen(text));
		slow = regexec(re, text, 0, NULL, 0) == 0;
		if (fast != slow)
			fail_msg("'%s' on '%s': %d, regexec %d", pattern, text,
				 fast, slow);
	}
	return m->how != OW_REGEX_POSIX;
}

static void compare_patterns(uint64_t seed)
{
	char pattern[128], error[100];
	struct ow_regex m;
	regex_t re;
	int i, ours, theirs, by_hand = 0;

	for (i = 0; i < PATTERNS; i++) {
		make_pattern(&seed, pattern);
		memset(&m, 0, sizeof(m));
		ours = ow_regex_compile(&m, pattern, error,
					     sizeof(error));
		theirs = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
		if ((ours == 0) != (theirs == 0))
			fail_msg("'%s': %d, regcomp %d", pattern, ours,
				 theirs);
		if (ours < 0)
			continue;
		by_hand += compare_texts(&seed, pattern, &m, &re);
		ow_regex_close(&m);
		regfree(&re);
	}
	assert_true(by_hand > PATTERNS / 10);
	assert_true(by_hand < PATTERNS);
}

static void words_match_as_regexec_in_the_c_locale(void **state)
{
	setlocale(LC_ALL, "C");
	compare_patterns(4711);
}

static void words_match_as_regexec_in_utf8(void **state)
{
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	compare_patterns(815);
	setlocale(LC_ALL, "C");
}

static void how(const char *pattern, int expected, const char *word)
{
	struct ow_regex m = { 0 };
	char error[100];

	assert_int_equal(ow_regex_compile(&m, pattern, error,
					       sizeof(error)), 0);
	assert_int_equal(m.how, expected);
	if (word != NULL) {
		assert_int_equal(m.len, strlen(word));
		assert_memory_equal(m.u.word, word, m.len);
	}
	ow_regex_close(&m);
}

static void patterns_that_are_words_are_compared(void **state)
{
	char longer[200];

	how("HELLO", OW_REGEX_CONTAINS, "HELLO");
	how("HELLO.*", OW_REGEX_CONTAINS, "HELLO");
	how(".*HELLO.*", OW_REGEX_CONTAINS, "HELLO");
	how("^HELLO.*", OW_REGEX_PREFIX, "HELLO");
	how("HELLO$", OW_REGEX_SUFFIX, "HELLO");
	how("^HE\\.LO$", OW_REGEX_EQUAL, "HE.LO");
	how("", OW_REGEX_CONTAINS, "");
	how("^", OW_REGEX_PREFIX, "");
	how("^$", OW_REGEX_EQUAL, "");
	how("^.*HELLO", OW_REGEX_POSIX, NULL);
	how("HE.*LO", OW_REGEX_POSIX, NULL);
	how("HELLO.*$", OW_REGEX_POSIX, NULL);
	how("HELLO.", OW_REGEX_POSIX, NULL);
	how("\xc3\xa4", OW_REGEX_POSIX, NULL);
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	how(longer, OW_REGEX_POSIX, NULL);
}

/* Each of these would take regcomp() gigabytes, or more than a minute. */
static void patterns_that_compile_for_minutes_are_refused(void **state)
{
	static const char *const bad[] = {
		"((a{200}){200}){200}", "(a+){1000}{1000}",
		"^(|Bdc])+{22}$", "^((B?)+){40}", "((B*)*){40}$",
		"(|^)+{10}", "((|\\b)+b*)+{20}", "(^|b)*{30}", "(|^)*",
		"^((((((B?)+)+)+)+)+)+", "\\<((|a)*){40}",
		"((|^|$|\\b)(|^|$|\\b)(|^|$|\\b)){9}",
	};
	struct ow_regex m = { 0 };
	char error[100];
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(ow_regex_compile(&m, bad[i], error,
						       sizeof(error)),
				 -EINVAL);
		assert_string_equal(error, "its repetitions make it too "
				    "large");
	}
}

/* regexec() would need 6 s for the first one on 100 letters a, four minutes on
 * 200. */
static void back_references_are_refused(void **state)
{
	static const char *const bad[] = {
		"^(a*)(a*)(a*)\\1\\2\\3c$", "(a*)(b*)\\1\\2", "(a)\\1",
		"(x|(y))\\2", "^(.)\\1+$", "()()()()()()()()()\\9",
		"(a)\\\\\\1",
	};
	struct ow_regex m = { 0 };
	char error[100];
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		if (ow_regex_compile(&m, bad[i], error, sizeof(error)) == 0)
			fail_msg("'%s' is taken", bad[i]);
		assert_string_equal(error, "\\1 to \\9 are back-references, "
				    "which can take forever to match");
	}
}

/* A digit behind an escaped backslash, in brackets, or that is no group. */
static void digits_that_refer_to_no_group_are_accepted(void **state)
{
	how("(a)\\\\1", OW_REGEX_POSIX, NULL);
	how("(a)[\\1]", OW_REGEX_POSIX, NULL);
	how("(a)[]\\1]", OW_REGEX_POSIX, NULL);
	how("(a)1", OW_REGEX_POSIX, NULL);
}

static void usual_patterns_are_accepted(void **state)
{
	static const char *const good[] = {
		"^(a|b)*$", "(^|,)[0-9]+(,|$)", "^([a-z]+\\.)*[a-z]{2,6}$",
		"^ *(x|y)? *$", "^([A-Z]{2}[0-9]{2} ?)([0-9]{4} ?){3,7}$",
		"(^|[^a-z])(a|b)($|[^a-z])", "^(( *[0-9]*),?)*$", "a{0,255}",
		"(a*b*)*c", "((a?b?)+c)*",
	};
	size_t i;

	for (i = 0; i < COUNT(good); i++)
		how(good[i], OW_REGEX_POSIX, NULL);
}

/* If a pattern took long, this test would time out. */
static void accepted_patterns_are_fast(void **state)
{
	static const char *const hard[] = {
		"(", "(", "(", ")", ")", ")", "|", "|", "a", "b", "^", "$",
		"\\b", "*", "+", "?", "{3}", "{2,5}", "{4,}", "(|a)", "(b*)",
		"(^|a)", "(|$)", "\\1", "\\2",
	};
	struct ow_regex m;
	uint64_t seed = 31;
	char pattern[256], error[100];
	int i, taken = 0;

	for (i = 0; i < PATTERNS; i++) {
		join(&seed, hard, COUNT(hard), 20, pattern);
		memset(&m, 0, sizeof(m));
		if (ow_regex_compile(&m, pattern, error,
					  sizeof(error)) < 0)
			continue;
		(void)ow_regex_run(&m, "ababab ba", 9);
		ow_regex_close(&m);
		taken++;
	}
	assert_true(taken > PATTERNS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_that_are_words_are_compared),
		cmocka_unit_test(words_match_as_regexec_in_the_c_locale),
		cmocka_unit_test(words_match_as_regexec_in_utf8),
		cmocka_unit_test(patterns_that_compile_for_minutes_are_refused),
		cmocka_unit_test(back_references_are_refused),
		cmocka_unit_test(digits_that_refer_to_no_group_are_accepted),
		cmocka_unit_test(usual_patterns_are_accepted),
		cmocka_unit_test(accepted_patterns_are_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
