/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tx.c - what a tmsrv is asked about the transaction of a context
 *
 * The test is the tmsrv: it keeps the questions, and answers as it is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/tran/tm.h"
#include "libatmi/tran/tx.h"
#include "libatmi/xa/rm.h"

#define IDENTITY UINT64_C(0x1234567890abcdef)
#define TRAN	 UINT64_C(0x0100650000000007)

static struct ow_ctx ctx;
static struct ow_tm asked[4];
static int n_asked, result;

int __wrap_ow_tm_ask_owner(struct ow_tm *m);
bool __wrap_ow_rm_has_branches(void);
bool __wrap_ow_rm_registers(void);
bool __wrap_ow_rm_own_branches(void);

int __wrap_ow_tm_ask_owner(struct ow_tm *m)
{
	assert_true(n_asked < 4);
	asked[n_asked++] = *m;
	m->result = result;
	m->identity = IDENTITY;
	return 0;
}

bool __wrap_ow_rm_has_branches(void)
{
	return true;
}

bool __wrap_ow_rm_registers(void)
{
	return false;
}

bool __wrap_ow_rm_own_branches(void)
{
	return false;
}

static int set_up(void **state)
{
	memset(&ctx, 0, sizeof(ctx));
	n_asked = 0;
	result = OW_TM_UNKNOWN;
	return 0;
}

static int tear_down(void **state)
{
	free(ctx.tx);
	return 0;
}

static void the_first_join_says_which_log_has_given_the_number(void **state)
{
	int32_t mark = ow_tm_request_mark(IDENTITY);

	assert_int_equal(ow_tx_enter(&ctx, TRAN, mark), TPETRAN);
	assert_int_equal(n_asked, 2);
	assert_int_equal(asked[0].op, OW_TM_JOIN);
	assert_true(asked[0].tran == TRAN && asked[0].identity == 0);
	assert_int_equal(asked[0].log, mark);
	assert_int_equal(asked[1].op, OW_TM_DOOM); /* of that log, too */
	assert_int_equal(asked[1].log, mark);
	assert_int_equal(ctx.tran_log, 0);
}

static void a_transaction_that_was_left_is_doomed_by_its_log(void **state)
{
	ow_tx_doom_left(TRAN, -7, false);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
	assert_int_equal(asked[0].log, -7);
}

/* Requests carry it from then on. */
static void the_log_of_a_transaction_is_known_once_it_was_told(void **state)
{
	struct ow_tx *t = ow_tx_need(&ctx);

	ow_tx_set(&ctx, TRAN, 0);
	assert_int_equal(ctx.tran_log, 0);
	ow_tx_know(&ctx, t, IDENTITY);
	assert_int_equal(ctx.tran_log, ow_tm_request_mark(IDENTITY));
	ow_tx_clear(&ctx);
	assert_int_equal(ctx.tran_log, 0);
}

#define FACT(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(the_first_join_says_which_log_has_given_the_number),
		FACT(a_transaction_that_was_left_is_doomed_by_its_log),
		FACT(the_log_of_a_transaction_is_known_once_it_was_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
