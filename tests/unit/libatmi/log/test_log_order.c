/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_order.c - orders to the logs of all processes of a domain */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "libatmi/log/order.h"
#include "tests/unit/libatmi/scratch.h"

static struct ow_log_order orders[OW_LOG_ORDERS];
static char path[256];

static int fresh(void **state)
{
	snprintf(path, sizeof(path), "%s", scratch_path("orders"));
	unlink(path);
	return 0;
}

static int add(enum ow_log_order_kind kind, const char *who, const char *text)
{
	struct ow_log_order o = { .kind = kind };

	snprintf(o.who, sizeof(o.who), "%s", who);
	snprintf(o.text, sizeof(o.text), "%s", text);
	return ow_log_orders_add(path, &o);
}

static void no_file_means_no_orders(void **state)
{
	assert_int_equal(ow_log_orders_read(path, orders), 0);
	assert_int_equal(ow_log_orders_clear(path), -ENOENT);
}

static void orders_are_read_in_the_order_of_writing(void **state)
{
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "*", "tp=5 file='a b'"), 0);
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "banksv", ""), 0);
	assert_int_equal(ow_log_orders_read(path, orders), 2);
	assert_int_equal(orders[0].number, 1);
	assert_string_equal(orders[0].who, "*");
	assert_string_equal(orders[0].text, "tp=5 file='a b'");
	assert_int_equal(orders[1].number, 2);
	assert_string_equal(orders[1].who, "banksv");
	assert_string_equal(orders[1].text, "");
	assert_int_equal(ow_log_orders_clear(path), 0);
	assert_int_equal(ow_log_orders_read(path, orders), 0);
}

static void a_rotation_replaces_the_previous_one(void **state)
{
	add(OW_LOG_ORDER_ROTATE, "*", "");
	add(OW_LOG_ORDER_ROTATE, "banksv", "");
	add(OW_LOG_ORDER_ROTATE, "*", "");
	assert_int_equal(ow_log_orders_read(path, orders), 2);
	assert_int_equal(orders[0].number, 2);
	assert_int_equal(orders[1].number, 3);
	assert_string_equal(orders[1].who, "*");
}

static void an_order_is_for_all_a_program_or_a_process(void **state)
{
	struct ow_log_order o = { .who = "*" };

	assert_true(ow_log_order_is_for(&o, 12, "banksv"));
	strcpy(o.who, "pid:12");
	assert_true(ow_log_order_is_for(&o, 12, "banksv"));
	assert_false(ow_log_order_is_for(&o, 123, "banksv"));
	strcpy(o.who, "bank");
	assert_false(ow_log_order_is_for(&o, 12, "banksv"));
}

static void orders_that_would_break_the_file_are_refused(void **state)
{
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "*", "tp=5\n9 logchg * x"),
			 -EINVAL);
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "a b", "tp=5"), -EINVAL);
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "", "tp=5"), -EINVAL);
}

static void a_full_file_refuses_orders(void **state)
{
	for (int i = 0; i < OW_LOG_ORDERS; i++)
		assert_int_equal(add(OW_LOG_ORDER_CHANGE, "*", "tp=5"), 0);
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "*", "tp=5"), -ENOSPC);
	assert_int_equal(ow_log_orders_read(path, orders), OW_LOG_ORDERS);
}

static void a_file_writable_by_other_users_is_refused(void **state)
{
	add(OW_LOG_ORDER_CHANGE, "*", "tp=5");
	assert_int_equal(chmod(path, 0620), 0);
	assert_int_equal(ow_log_orders_read(path, orders), -EPERM);
	assert_int_equal(add(OW_LOG_ORDER_CHANGE, "*", "tp=5"), -EPERM);
}

static void malformed_lines_are_skipped(void **state)
{
	scratch_write(path, "rubbish\n1 dance * tp=1\n7 logchg * tp=2\n\n8");
	assert_int_equal(ow_log_orders_read(path, orders), 1);
	assert_int_equal(orders[0].number, 7);
}

static void writers_do_not_lose_each_others_orders(void **state)
{
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			for (int k = 0; k < 10; k++)
				if (add(OW_LOG_ORDER_CHANGE, "*", "tp=5") != 0)
					_exit(1);
			_exit(0);
		}
	for (int i = 0; i < 4; i++) {
		int status = 1;

		wait(&status);
		assert_int_equal(status, 0);
	}
	assert_int_equal(ow_log_orders_read(path, orders), 40);
	assert_int_equal(orders[39].number, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh)
		T(no_file_means_no_orders),
		T(orders_are_read_in_the_order_of_writing),
		T(a_rotation_replaces_the_previous_one),
		T(an_order_is_for_all_a_program_or_a_process),
		T(orders_that_would_break_the_file_are_refused),
		T(a_full_file_refuses_orders),
		T(a_file_writable_by_other_users_is_refused),
		T(malformed_lines_are_skipped),
		T(writers_do_not_lose_each_others_orders),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
