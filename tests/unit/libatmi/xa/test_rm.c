/* SPDX-License-Identifier: Apache-2.0 */
/* test_rm.c - what a commit that had to be repeated says */
#include "libatmi/xa/rm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"

/* ---- a resource manager ---- */

static int results[2], calls;
static bool sends;

static int open_or_close(char *info, int rmid, long flags)
{
	return XA_OK;
}

static int commit(XID *xid, int rmid, long flags)
{
	assert_true(calls < 2);
	return results[calls++];
}

static struct xa_switch_t the_switch = {
	.name = "a test",
	.xa_open_entry = open_or_close,
	.xa_close_entry = open_or_close,
	.xa_commit_entry = commit,
};

struct xa_switch_t *__wrap_ow_xa_switch(char *why, size_t size);
const struct ow_xa_config *__wrap_ow_xa_config(void);
bool __wrap_ow_xa_has_sent(void);

struct xa_switch_t *__wrap_ow_xa_switch(char *why, size_t size)
{
	return &the_switch;
}

const struct ow_xa_config *__wrap_ow_xa_config(void)
{
	static const struct ow_xa_config config = { .rmid = 1 };

	return &config;
}

bool __wrap_ow_xa_has_sent(void)
{
	return sends;
}

static int commits(int first, bool sent, int second, long flags)
{
	const XID x = { .formatID = 1 };

	results[0] = first;
	results[1] = second;
	calls = 0;
	sends = sent;
	return ow_rm_do(OW_RM_COMMIT, &x, flags);
}

/* ---- facts ---- */

static void a_prepared_branch_that_has_gone_was_committed(void **state)
{
	assert_int_equal(commits(XAER_RMFAIL, true, XAER_NOTA, TMNOFLAGS),
			 XA_OK);
	/* If the first call was never sent, somebody else has ended it. */
	assert_int_equal(commits(XAER_RMFAIL, false, XAER_NOTA, TMNOFLAGS),
			 XAER_NOTA);
	assert_int_equal(commits(XAER_RMFAIL, true, XAER_RMERR, TMNOFLAGS),
			 XAER_RMERR);
}

static void no_error_of_a_repeated_one_phase_commit_is_a_rollback(void **state)
{
	static const int errors[] = { XAER_NOTA, XAER_RMERR, XAER_INVAL };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		assert_int_equal(commits(XAER_RMFAIL, true, errors[i],
					 TMONEPHASE), XAER_RMFAIL);
		assert_int_equal(commits(XAER_RMFAIL, false, errors[i],
					 TMONEPHASE), errors[i]);
		assert_int_equal(commits(errors[i], true, XA_OK, TMONEPHASE),
				 errors[i]);
	}
	assert_int_equal(commits(XAER_RMFAIL, true, XA_OK, TMONEPHASE), XA_OK);
	/* It was there. */
	assert_int_equal(commits(XAER_RMFAIL, true, XA_RBROLLBACK, TMONEPHASE),
			 XA_RBROLLBACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prepared_branch_that_has_gone_was_committed),
		cmocka_unit_test(
		    no_error_of_a_repeated_one_phase_commit_is_a_rollback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
