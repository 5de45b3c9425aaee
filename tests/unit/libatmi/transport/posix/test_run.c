/* SPDX-License-Identifier: Apache-2.0 */
/* test_run.c - a server receives one-way requests in a run, without bytes */
#include "tests/unit/libatmi/messages.h"

#include <signal.h>
#include <sys/ioctl.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/run.h"

static bool dies_when_settled;

void ow_fault_hit(const char *name)
{
	if (dies_when_settled && strcmp(name, "posix.run_settled") == 0)
		raise(SIGKILL);
}

/* The queue of a service that has a name in the tables. */
static struct ow_queue *make_queue(const char *service)
{
	struct ow_queue *q;
	int svc;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, service);
	ow_tables_unlock(dom->tables);
	assert_true(svc >= 0);
	q = dom_queue(service, 8, 256);
	assert_non_null(posix_of(q)->svc);
	return q;
}

static int bytes_in(struct ow_queue *q)
{
	int n = -1;

	assert_int_equal(ioctl(posix_of(q)->fifo, FIONREAD, &n), 0);
	return n;
}

static void post(struct ow_queue *q, int n)
{
	while (n-- > 0)
		assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
}

static void call(struct ow_queue *q)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_NULL,
			    .cd = 1 };

	assert_int_equal(send_msg(q, &m, 5, OW_DEADLINE_NOW), 0);
}

/* One attempt of a server: did it receive? */
static bool attempt(struct ow_queue *q)
{
	return recv_msg(q, NULL, OW_DEADLINE_NOW) == 0;
}

/* A server was woken and has received two requests, the second without its
 * byte, which is owed. */
static void begin_run(struct ow_queue *q)
{
	post(q, 2);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	assert_true(attempt(q) && q->runs);
	assert_true(attempt(q) && q->runs);
}

/* The last attempt of a run has found nothing, before what has been posted by
 * now. */
static void end_run(struct ow_queue *q)
{
	ow_run_attempted(posix_of(q), NULL);
	assert_false(q->runs);
}

/* A server that was woken takes its byte and serves until it is to wait.
 * Returns how many messages it has served. */
static int serve(struct ow_queue *q)
{
	int n = 0;

	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	do {
		n += attempt(q);
	} while (q->runs);
	return n;
}

static void a_burst_is_served_with_one_byte_and_leaves_none(void **state)
{
	struct ow_queue *q = make_queue("BURST");

	post(q, 6);
	assert_int_equal(bytes_in(q), 6);
	assert_int_equal(serve(q), 6);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void while_it_serves_the_bytes_of_waiting_messages_stay(void **state)
{
	struct ow_queue *q = make_queue("STAY");

	post(q, 3);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	assert_true(attempt(q) && q->runs);
	assert_true(attempt(q));
	assert_true(bytes_in(q) >= 1); /* an idle server gets the third */
	ow_queue_close(q);
}

static void a_message_that_comes_at_the_end_keeps_a_byte(void **state)
{
	struct ow_queue *q = make_queue("LATE");

	begin_run(q);
	post(q, 1);
	end_run(q);
	assert_true(bytes_in(q) >= 1);
	assert_int_equal(serve(q), 1);
	ow_queue_close(q);
}

/* Another server has been woken by the byte that this one owes, in vain: what
 * this one takes is the byte of a message that waits. */
static void a_byte_that_it_takes_too_much_is_given_back(void **state)
{
	struct ow_queue *q = make_queue("VAIN");

	begin_run(q);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	post(q, 1);
	assert_int_equal(bytes_in(q), 1);
	end_run(q);
	assert_int_equal(bytes_in(q), 1);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void what_was_given_back_is_settled_by_the_next_run(void **state)
{
	struct ow_queue *q = make_queue("NEXT");

	begin_run(q);
	post(q, 1); /* with a byte of its own: what is given back is surplus */
	end_run(q);
	post(q, 3);
	assert_int_equal(serve(q), 4);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void a_call_ends_the_run(void **state)
{
	struct ow_queue *q = make_queue("CALL");

	post(q, 1);
	call(q);
	post(q, 1);
	assert_int_equal(serve(q), 2);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void a_server_of_calls_takes_a_byte_for_each(void **state)
{
	struct ow_queue *q = make_queue("CALLS");

	call(q);
	call(q);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 1);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void a_run_has_an_end_while_the_queue_is_refilled(void **state)
{
	struct ow_queue *q = make_queue("ENDLESS");
	uint32_t n = 0;

	post(q, 2);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	do {
		assert_true(attempt(q));
		post(q, 1);
		n++;
	} while (q->runs);
	assert_int_equal(n, dom->waking.run_max + 1);
	assert_true(bytes_in(q) > 1); /* the main loop comes back to it */
	assert_int_equal(serve(q), 2);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void without_the_rule_each_message_takes_a_byte(void **state)
{
	struct ow_queue *q = make_queue("NONE");
	uint64_t before = dom->waking.run_max;

	dom->waking.run_max = 0;
	post(q, 2);
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 1);
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
	assert_int_equal(serve(q), 1);
	assert_int_equal(bytes_in(q), 2);
	ow_queue_close(q);
}

/* A server that is killed when it has taken the byte of a message that waits,
 * and has not yet given it back. */
static void die_settling(struct ow_queue *q)
{
	attempt(q);
	attempt(q);
	ow_fifo_take_many(posix_of(q)->fifo, 2); /* as servers woken in vain */
	post(q, 1);
	dies_when_settled = true;
	end_run(q);
	_exit(1);
}

static void a_nudge_finds_what_a_killed_server_has_left(void **state)
{
	struct ow_queue *q = make_queue("KILLED");
	struct ow_waitset *w = NULL;
	uint32_t tag = 0;
	pid_t pid;
	int st;

	post(q, 2);
	assert_int_equal(dom_waitset(OW_WAKE_BELL, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 7), 0);
	pid = test_fork();
	if (pid == 0)
		die_settling(q);
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFSIGNALED(st));
	assert_int_equal(bytes_in(q), 0);
	ow_queue_nudge(q);
	assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), 0);
	assert_int_equal(tag, 7);
	assert_true(attempt(q));
	ow_waitset_close(w);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_burst_is_served_with_one_byte_and_leaves_none),
		cmocka_unit_test(
		    while_it_serves_the_bytes_of_waiting_messages_stay),
		cmocka_unit_test(a_message_that_comes_at_the_end_keeps_a_byte),
		cmocka_unit_test(a_byte_that_it_takes_too_much_is_given_back),
		cmocka_unit_test(
		    what_was_given_back_is_settled_by_the_next_run),
		cmocka_unit_test(a_call_ends_the_run),
		cmocka_unit_test(a_server_of_calls_takes_a_byte_for_each),
		cmocka_unit_test(a_run_has_an_end_while_the_queue_is_refilled),
		cmocka_unit_test(without_the_rule_each_message_takes_a_byte),
		cmocka_unit_test(wake_mode_even_has_no_runs),
		cmocka_unit_test(a_nudge_finds_what_a_killed_server_has_left),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
