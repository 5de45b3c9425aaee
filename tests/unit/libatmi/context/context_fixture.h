/* SPDX-License-Identifier: Apache-2.0 */
/* context_fixture.h - contexts on and off threads, with errors that go along */
#ifndef OW_TEST_CONTEXT_FIXTURE_H
#define OW_TEST_CONTEXT_FIXTURE_H

#include "tests/unit/libatmi/domain_fixture.h"

#include <atmi.h>
#include <ndebug.h>
#include <nerror.h>
#include <pthread.h>
#include <ubf.h>

/* An error of each kind: TPEBADDESC, BNOTFLD, NEINVAL. */
static inline void err(void)
{
	assert_int_equal(tpcancel(5), -1);
	assert_int_equal(Bfree(NULL), -1);
	assert_int_equal(tplogqinfo(0, 0), -1);
}

static inline void assert_errors(int tp, int b, int n)
{
	assert_int_equal(tperrno, tp);
	assert_int_equal(Berror, b);
	assert_int_equal(Nerror, n);
}

/* Take the context off this thread. */
static inline TPCONTEXT_T got(void)
{
	TPCONTEXT_T c = NULL;

	assert_int_equal(tpgetctxt(&c, 0), TPMULTICONTEXTS);
	assert_non_null(c);
	return c;
}

/* Run `fn` in a thread of its own. */
static inline void *in_thread(void *(*fn)(void *), void *arg)
{
	void *result = NULL;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, fn, arg), 0);
	assert_int_equal(pthread_join(t, &result), 0);
	return result;
}

static inline int setup(void **state)
{
	dom_make();
	return 0;
}

/* Each fact begins without a context. */
static inline int cleared(void **state)
{
	tpsetctxt(TPNULLCONTEXT, 0);
	tpterm();
	return 0;
}

#define FACT(fn) cmocka_unit_test_setup_teardown(fn, NULL, cleared)

#endif
