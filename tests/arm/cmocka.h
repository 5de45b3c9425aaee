/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmocka.h - as much of cmocka as the stress tests of the shm transport need
 *
 * A cross compiler comes without cmocka. Tests run one after the other; the
 * first failed assertion ends the program.
 */
#ifndef OW_ARM_CMOCKA_H
#define OW_ARM_CMOCKA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test)(void **);
};

static inline void ow_arm_assert(bool good, const char *what, const char *file,
				 int line)
{
	if (good)
		return;
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	exit(1);
}

#define assert_true(x)	      ow_arm_assert((x) ? 1 : 0, #x, __FILE__, __LINE__)
#define assert_false(x)	      assert_true(!(x))
#define assert_null(x)	      assert_true((x) == NULL)
#define assert_non_null(x)    assert_true((x) != NULL)
#define assert_int_equal(a, b)	   assert_true((long)(a) == (long)(b))
#define assert_int_not_equal(a, b) assert_true((long)(a) != (long)(b))
#define assert_ptr_equal(a, b)	   assert_true((a) == (b))
#define assert_ptr_not_equal(a, b) assert_true((a) != (b))
#define assert_string_equal(a, b)  assert_true(strcmp((a), (b)) == 0)
#define assert_in_range(x, lo, hi) \
	assert_true((unsigned long)(x) >= (unsigned long)(lo) && \
		    (unsigned long)(x) <= (unsigned long)(hi))
#define print_message(...) printf(__VA_ARGS__)
#define skip()		   return

#define cmocka_unit_test(f) { #f, f }
#define cmocka_run_group_tests(tests, before, after) \
	ow_arm_run(tests, sizeof(tests) / sizeof((tests)[0]), before, after)

static inline int ow_arm_run(const struct CMUnitTest *tests, size_t n,
			     int (*before)(void **), int (*after)(void **))
{
	const char *without = getenv("OW_WITHOUT"); /* part of a name */
	void *state = NULL;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (before != NULL && before(&state) != 0)
		return 1;
	for (i = 0; i < n; i++) {
		if (without != NULL &&
		    strstr(tests[i].name, without) != NULL) {
			printf("--  %s\n", tests[i].name);
			continue;
		}
		tests[i].test(&state);
		printf("ok  %s\n", tests[i].name);
	}
	return after != NULL ? after(&state) : 0;
}

#endif
