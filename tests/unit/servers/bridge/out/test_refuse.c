/* SPDX-License-Identifier: Apache-2.0 */
/* test_refuse.c - what another node may say of a request that it got */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>
#include <cmocka.h>

#include "libatmi/wire/msg.h"
#include "servers/bridge/out/refuse.h"

static void a_refusal_says_that_nothing_was_begun(void **state)
{
	assert_true(ow_br_urcode_heard(0, TPENOENT, OW_URCODE_UNBEGUN) ==
		    OW_URCODE_UNBEGUN);
	assert_true(ow_br_urcode_heard(0, TPETRAN, OW_URCODE_UNBEGUN) ==
		    OW_URCODE_UNBEGUN);
}

static void a_bridge_says_so_of_what_it_has_not_let_in(void **state)
{
	assert_true(ow_br_urcode_of(TPENOENT) == (long)OW_URCODE_UNBEGUN);
	assert_true(ow_br_urcode_of(TPEPERM) == (long)OW_URCODE_UNBEGUN);
	assert_int_equal(ow_br_urcode_of(TPESVCERR), 0);
	assert_int_equal(ow_br_urcode_of(TPETIME), 0);
}

static void of_what_was_forwarded_no_node_says_so(void **state)
{
	assert_true(ow_br_urcode_heard(OW_MSG_FORWARDED, TPENOENT,
				       OW_URCODE_UNBEGUN) == 0);
}

static void beside_an_answer_no_node_says_so(void **state)
{
	assert_true(ow_br_urcode_heard(0, 0, OW_URCODE_UNBEGUN) == 0);
	assert_true(ow_br_urcode_heard(0, TPESVCFAIL, OW_URCODE_UNBEGUN) == 0);
	assert_int_equal(ow_br_urcode_heard(OW_MSG_FORWARDED, TPESVCFAIL, 77),
			 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_says_that_nothing_was_begun),
		cmocka_unit_test(a_bridge_says_so_of_what_it_has_not_let_in),
		cmocka_unit_test(of_what_was_forwarded_no_node_says_so),
		cmocka_unit_test(beside_an_answer_no_node_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
