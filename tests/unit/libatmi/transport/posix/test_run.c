/* SPDX-License-Identifier: Apache-2.0 */
/* test_run.c - a server receives requests in a run, without bytes */
#include "tests/unit/libatmi/transport/posix/posix_queue.h"

#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/fifo.h"

static void call(struct ow_queue *q)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_NULL,
			    .cd = 1 };

	assert_int_equal(send_msg(q, &m, 5, soon()), 0);
}

/* One attempt of a server: did it receive? */
static bool attempt(struct ow_queue *q)
{
	return recv_msg(q, NULL, OW_DEADLINE_NOW) == 0;
}

/* A server that was woken takes its byte. */
static void come(struct ow_queue *q)
{
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	ow_bell_answer(posix_of(q));
}

/* It serves until it is to wait. Returns how many messages it has served. */
static int serve(struct ow_queue *q)
{
	int n = 0;

	do {
		n += attempt(q);
	} while (ow_queue_runs(q));
	return n;
}

static void a_burst_is_served_with_one_byte(void **state)
{
	struct ow_queue *q = make_queue("BURST");

	post(q, 6);
	assert_int_equal(bytes_in(q), 1);
	come(q);
	assert_int_equal(serve(q), 6);
	ow_queue_close(q);
}

static void a_call_goes_on_only_while_a_server_is_on_its_way(void **state)
{
	struct ow_queue *q = make_queue("CALLS");

	call(q);
	come(q);
	assert_true(attempt(q));
	assert_false(ow_queue_runs(q));
	call(q);
	call(q);
	come(q);
	assert_true(attempt(q));
	assert_true(ow_queue_runs(q)); /* another server was woken for it */
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 1);
	ow_queue_close(q);
}

static void a_run_ends_with_a_call_that_nobody_comes_for(void **state)
{
	struct ow_queue *q = make_queue("CALL");

	post(q, 1);
	call(q);
	come(q);
	assert_true(attempt(q) && ow_queue_runs(q));
	come(q); /* the other server, which is slow to receive */
	assert_true(attempt(q));
	assert_false(ow_queue_runs(q));
	ow_queue_close(q);
}

static void a_run_has_an_end_while_the_queue_is_refilled(void **state)
{
	struct ow_queue *q = make_queue("ENDLESS");
	uint32_t n = 0;

	post(q, 2);
	come(q);
	do {
		assert_true(attempt(q));
		post(q, 1);
		n++;
	} while (ow_queue_runs(q));
	assert_int_equal(n, dom->waking.run_max + 1);
	assert_true(bytes_in(q) > 0); /* the main loop comes back to it */
	come(q);
	assert_int_equal(serve(q), 2);
	ow_queue_close(q);
}

static void a_run_ends_after_its_time(void **state)
{
	struct ow_queue *q = make_queue("SLOW");
	uint64_t before = dom->waking.run_ns;
	uint64_t until;

	post(q, 3);
	come(q);
	assert_true(attempt(q));
	assert_true(ow_queue_runs(q));
	until = ow_clock_mono_ns() + OW_NS_PER_SEC / 1000;
	dom->waking.run_ns = 1000;
	assert_true(attempt(q));
	while (ow_clock_mono_ns() < until)
		; /* it is served */
	assert_false(ow_queue_runs(q));
	assert_true(bytes_in(q) > 0);
	come(q);
	dom->waking.run_ns = before;
	assert_int_equal(serve(q), 1);
	ow_queue_close(q);
}

static void without_the_rule_each_message_takes_a_byte(void **state)
{
	struct ow_queue *q = make_queue("NONE");
	uint64_t before = dom->waking.run_max;

	dom->waking.run_max = 0;
	post(q, 2);
	come(q);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 1);
	come(q);
	assert_int_equal(serve(q), 1);
	dom->waking.run_max = before;
	ow_queue_close(q);
}

static void wake_mode_even_has_no_runs(void **state)
{
	struct ow_queue *q;

	dom->wake = OW_WAKE_EVEN;
	q = dom_queue("EVEN", 8, 256);
	dom->wake = OW_WAKE_BELL;
	post(q, 3);
	assert_int_equal(bytes_in(q), 3);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 2);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_served_with_one_byte),
		cmocka_unit_test(
		    a_call_goes_on_only_while_a_server_is_on_its_way),
		cmocka_unit_test(
		    a_run_ends_with_a_call_that_nobody_comes_for),
		cmocka_unit_test(a_run_has_an_end_while_the_queue_is_refilled),
		cmocka_unit_test(a_run_ends_after_its_time),
		cmocka_unit_test(without_the_rule_each_message_takes_a_byte),
		cmocka_unit_test(wake_mode_even_has_no_runs),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	dom->waking.pending_ns = OW_NS_PER_SEC * 10; /* however slow the CPU */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
