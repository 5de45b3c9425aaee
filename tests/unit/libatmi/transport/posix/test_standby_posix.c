/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_standby_posix.c - a server that is needless leaves a message to others,
 * and looks again
 */
#include "tests/unit/libatmi/transport/posix/posix_queue.h"

#include <signal.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/fifo.h"
#include "tests/unit/libatmi/transport/standing_by.h"

#define TAG 7

static bool dies;

void ow_fault_hit(const char *name)
{
	if (dies && strcmp(name, "posix.stands_by") == 0)
		raise(SIGKILL);
}

/* A server that is late waits for a queue; `others` is the queue object of one
 * that works. */
struct scene {
	struct ow_queue *q, *others;
	struct ow_waitset *w;
	struct ow_svc *s;
};

static struct scene begin(const char *service)
{
	struct scene c = { .q = make_queue(service) };

	c.others = dom_queue(service, 8, 256);
	c.s = posix_of(c.q)->svc;
	assert_int_equal(dom_waitset(OW_WAKE_BELL, &c.w), 0);
	assert_int_equal(ow_waitset_add_queue(c.w, c.q, TAG), 0);
	computes(c.s);
	return c;
}

static void end(struct scene *c)
{
	ow_waitset_close(c->w);
	posix_of(c->q)->standby = NULL;
	ow_queue_close(c->others);
	ow_queue_close(c->q);
}

static bool comes(struct scene *c, bool waits)
{
	uint32_t tag = 0;
	int r = ow_waitset_wait(c->w, waits, &tag, NULL);

	assert_true(r == 0 ? tag == TAG : r == OW_QUEUE_TIMEOUT);
	return r == 0;
}

static void stands_by(struct scene *c)
{
	post(c->q, 1);
	nap_ms(2);
	assert_false(comes(c, false));
	assert_true(ow_bell_has_standby(posix_of(c->q)));
}

static void a_needless_server_leaves_the_message_to_those_that_work(
    void **state)
{
	struct scene c = begin("LEAVES");

	stands_by(&c);
	post(c.q, 2); /* no byte for these: one stands by */
	assert_int_equal(bytes_in(c.q), 0);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW), 0);
	assert_true(ow_queue_runs(c.others));
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW), 0);
	end(&c);
}

static void it_serves_when_nobody_else_does(void **state)
{
	struct scene c = begin("STILL");

	stands_by(&c);
	stands_still(c.s);
	assert_true(comes(&c, true)); /* after its time */
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	end(&c);
}

static void it_serves_when_it_gets_its_cpu_at_once(void **state)
{
	struct scene c = begin("FREE");

	stands_by(&c);
	dom->waking.standby_late_ns = OW_NS_PER_SEC * 100;
	post(c.q, 1);
	assert_true(comes(&c, true));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(bytes_in(c.q), 1); /* it wakes the next one */
	dom->waking.standby_late_ns = 0;
	end(&c);
}

static void a_server_that_finds_the_queue_empty_ends_it(void **state)
{
	struct scene c = begin("EMPTY");

	stands_by(&c);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW),
			 OW_QUEUE_EMPTY);
	post(c.q, 1);
	assert_int_equal(bytes_in(c.q), 1);
	end(&c);
}

/* Who works found the queue empty, and sleeps: nobody is awake for the next
 * message but the server on its way. */
static void a_server_on_its_way_serves_if_the_queue_was_empty(void **state)
{
	struct scene c = begin("WASEMPTY");

	post(c.q, 1);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_msg(c.others, NULL, OW_DEADLINE_NOW),
			 OW_QUEUE_EMPTY);
	post(c.q, 1);
	assert_int_equal(bytes_in(c.q), 1);
	nap_ms(2);
	assert_true(comes(&c, false));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	end(&c);
}

static void a_server_that_looks_at_an_empty_queue_sleeps(void **state)
{
	struct scene c = begin("GONE");
	struct ow_waitset *w = c.w;

	stands_by(&c);
	/* Not as a server that works: that would end the standby. */
	assert_int_equal(recv_msg(c.others, NULL, soon()), 0);
	ow_waitset_tick(w, 30 * OW_NS_PER_MS);
	assert_int_equal(ow_waitset_wait(w, true, &(uint32_t){ 0 }, NULL), 0);
	assert_int_equal(atomic_load(&c.s->bell), 0);
	end(&c);
}

static void after_its_death_the_next_sender_wakes_another_server(void **state)
{
	struct scene c = begin("DEAD");
	pid_t pid;
	int st;

	post(c.q, 1);
	nap_ms(2);
	pid = test_fork();
	if (pid == 0) {
		dies = true;
		comes(&c, false);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFSIGNALED(st));
	assert_true(ow_bell_has_standby(posix_of(c.q)));
	ow_queue_nudge_of_many(c.q);
	assert_int_equal(bytes_in(c.q), 0); /* it is not late yet */
	nap_ms(25);
	post(c.q, 1);
	assert_int_equal(bytes_in(c.q), 1);
	assert_false(ow_bell_has_standby(posix_of(c.q)));
	end(&c);
}

/* A run has its limits, and nobody else is told of what is left. */
static void a_run_that_is_cut_short_goes_on_while_one_stands_by(void **state)
{
	struct scene c = begin("CUT");

	dom->waking.standby_late_ns = OW_NS_PER_SEC * 100;
	post(c.q, 3);
	assert_true(comes(&c, false));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	while (ow_fifo_take(posix_of(c.q)->fifo) == 0)
		;
	atomic_store(&c.s->bell, ow_bell_word(ow_clock_mono_ns()) |
				     OW_BELL_MORE | OW_BELL_STANDBY);
	assert_true(comes(&c, true));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	assert_true(comes(&c, true));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
	assert_false(comes(&c, false));
	dom->waking.standby_late_ns = 0;
	end(&c);
}

/* A message of another of its services comes in between. */
static void a_server_of_two_services_comes_back_to_the_run_that_it_left(
    void **state)
{
	struct scene c = begin("FIRST");
	struct ow_queue *other = make_queue("SECOND");
	uint32_t tag = 0;

	assert_int_equal(ow_waitset_add_queue(c.w, other, TAG + 1), 0);
	dom->waking.standby_late_ns = OW_NS_PER_SEC * 100;
	post(c.q, 2);
	assert_true(comes(&c, false));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	while (ow_fifo_take(posix_of(c.q)->fifo) == 0)
		;
	atomic_store(&c.s->bell, ow_bell_word(ow_clock_mono_ns()) |
				     OW_BELL_MORE | OW_BELL_STANDBY);
	post(other, 1);
	assert_int_equal(ow_waitset_wait(c.w, true, &tag, NULL), 0);
	assert_int_equal(tag, TAG + 1);
	assert_int_equal(recv_msg(other, NULL, OW_DEADLINE_NOW), 0);
	assert_true(comes(&c, true));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	dom->waking.standby_late_ns = 0;
	assert_int_equal(ow_waitset_del_queue(c.w, other), 0);
	ow_queue_close(other);
	end(&c);
}

static void who_gives_way_leaves_its_run_while_one_stands_by(void **state)
{
	struct scene c = begin("WAY");

	dom->waking.standby_late_ns = OW_NS_PER_SEC * 100;
	post(c.q, 3);
	assert_true(comes(&c, false));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	while (ow_fifo_take(posix_of(c.q)->fifo) == 0)
		;
	atomic_store(&c.s->bell, ow_bell_word(ow_clock_mono_ns()) |
				     OW_BELL_MORE | OW_BELL_STANDBY);
	posix_of(c.q)->run.held = true;
	assert_false(ow_queue_runs(c.q));
	assert_false(comes(&c, false));
	assert_true(ow_bell_has_standby(posix_of(c.q)));
	dom->waking.standby_late_ns = 0;
	end(&c);
}

static void who_gives_way_takes_the_place_of_one_that_is_late(void **state)
{
	struct scene c = begin("PLACE");

	post(c.q, 3);
	dom->waking.standby_late_ns = OW_NS_PER_SEC * 100;
	assert_true(comes(&c, false));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	while (ow_fifo_take(posix_of(c.q)->fifo) == 0)
		;
	atomic_store(&c.s->bell,
		     ow_bell_word(ow_clock_mono_ns() - OW_NS_PER_SEC) |
			 OW_BELL_MORE | OW_BELL_STANDBY);
	posix_of(c.q)->run.held = true;
	assert_true(comes(&c, true)); /* after its time */
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	dom->waking.standby_late_ns = 0;
	end(&c);
}

static void a_queue_that_leaves_the_wait_set_is_nudged(void **state)
{
	struct scene c = begin("LEFT");

	stands_by(&c);
	assert_int_equal(ow_waitset_del_queue(c.w, c.q), 0);
	assert_int_equal(bytes_in(c.q), 1);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_needless_server_leaves_the_message_to_those_that_work),
		cmocka_unit_test(it_serves_when_nobody_else_does),
		cmocka_unit_test(it_serves_when_it_gets_its_cpu_at_once),
		cmocka_unit_test(a_server_that_finds_the_queue_empty_ends_it),
		cmocka_unit_test(
		    a_server_on_its_way_serves_if_the_queue_was_empty),
		cmocka_unit_test(a_server_that_looks_at_an_empty_queue_sleeps),
		cmocka_unit_test(
		    after_its_death_the_next_sender_wakes_another_server),
		cmocka_unit_test(
		    a_run_that_is_cut_short_goes_on_while_one_stands_by),
		cmocka_unit_test(
		    a_server_of_two_services_comes_back_to_the_run_that_it_left),
		cmocka_unit_test(
		    who_gives_way_leaves_its_run_while_one_stands_by),
		cmocka_unit_test(
		    who_gives_way_takes_the_place_of_one_that_is_late),
		cmocka_unit_test(a_queue_that_leaves_the_wait_set_is_nudged),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	dom->waking.pending_ns = OW_NS_PER_SEC * 10; /* however slow the CPU */
	others_are_enough();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
