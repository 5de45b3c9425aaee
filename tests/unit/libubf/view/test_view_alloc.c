/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_alloc.c - views when the n-th allocation fails, for every n
 *
 * As test_alloc.c for buffers: each operation is repeated with the failure one
 * allocation later, until it succeeds; every failure is BMALLOC.
 */
#include "tests/unit/libubf/view_test.h"

#include <stdio.h>

#include "libubf/store/check.h"
#include "tests/unit/libubf/failing_alloc.h"

#define V ((char *)"SAMPLE")
#define CN(name) ((char *)(name))

static struct SAMPLE *sample;
static UBFH *buffer;

/* Repeat `call` with a later failure each time, until it succeeds; returns the
 * number of failures. */
static long exhaust(int (*call)(void))
{
	long n, before = buffer != NULL ? Bused(buffer) : 0;
	int r = -1, error;

	for (n = 0; r < 0; n++) {
		countdown = n;
		r = call();
		error = Berror;
		countdown = -1;
		if (r < 0) {
			assert_int_equal(error, BMALLOC);
			if (buffer != NULL)
				assert_int_equal(Bused(buffer), before);
		}
		assert_true(n < 1000);
	}
	return n - 1;
}

static int call_load(void)
{
	return (int)Bvsizeof(V);
}

static int call_add(void)
{
	BVIEWFLD f = { 0, "SAMPLE", (char *)sample };

	return Badd(buffer, F_VIEW, (char *)&f, 0);
}

static int call_getalloc(void)
{
	char *p = Bgetalloc(buffer, F_VIEW, 0, NULL);

	free(p);
	return p == NULL ? -1 : 0;
}

static int call_member(void)
{
	char *p = CBvgetalloc((char *)sample, V, CN("two"), 0, BFLD_STRING, 0,
			      NULL);

	free(p);
	return p == NULL ? -1 : 0;
}

static int call_stof(void)
{
	return Bvstof(buffer, (char *)sample, BUPDATE, V);
}

static int call_print(void)
{
	FILE *f = fopen("/dev/null", "w");
	int r;

	assert_non_null(f);
	r = Bvfprint((char *)sample, V, f);
	fclose(f);
	return r;
}

static long read_lines(char *to, long size, void *from)
{
	const char **at = from;
	size_t n = strlen(*at);

	memcpy(to, *at, n);
	*at += n;
	return (long)n;
}

static int call_read(void)
{
	const char *text = "one\t5\n";

	return Bvextreadcb((char *)sample, V, read_lines, &text);
}

static int call_read_field(void)
{
	const char *text = "VIEW\tSAMPLE\n\tone\t5\n";

	return Bextreadcb(buffer, read_lines, &text);
}

static void every_call_survives_every_failure(void **state)
{
	assert_true(exhaust(call_load) > 50);
	sample = view_sample();
	buffer = Balloc(100, 8000);
	assert_true(exhaust(call_add) > 0);
	assert_true(exhaust(call_getalloc) > 0);
	assert_true(exhaust(call_member) > 0);
	assert_true(exhaust(call_stof) > 10);	/* with the field tables */
	assert_true(exhaust(call_stof) > 0);
	assert_true(exhaust(call_print) > 0);
	assert_true(exhaust(call_read) > 0);
	assert_true(exhaust(call_read_field) > 0);
	assert_int_equal(ow_ubf_check(buffer, (size_t)Bused(buffer)), 0);
	Bfree(buffer);
	free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_survives_every_failure),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
