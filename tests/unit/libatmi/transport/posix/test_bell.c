/* SPDX-License-Identifier: Apache-2.0 */
/* test_bell.c - one woken server at a time, and what deaths leave */
#include "tests/unit/libatmi/transport/posix/posix_queue.h"

#include <signal.h>

#include "libatmi/base/fault.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/fifo.h"

static const char *dies_at = "";
static struct ow_queue *comes_at_once; /* another server */
static struct ow_queue *told[2];       /* messages come when both are looked at */
static int announced;

static void come(struct ow_queue *q);

void ow_fault_hit(const char *name)
{
	struct ow_queue *q = comes_at_once;

	if (strcmp(name, dies_at) == 0)
		raise(SIGKILL);
	if (q != NULL && strcmp(name, "posix.rung") == 0) {
		comes_at_once = NULL;
		come(q);
	}
	if (told[0] != NULL && strcmp(name, "posix.announced") == 0 &&
	    ++announced == 2) {
		post(told[0], 1);
		post(told[1], 1);
	}
}

/* A server that was woken takes its byte, receives, and leaves the request
 * unserved. */
static void come(struct ow_queue *q)
{
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0);
	ow_bell_answer(posix_of(q));
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
}

static void while_a_server_is_on_its_way_none_is_woken(void **state)
{
	struct ow_queue *q = make_queue("ONE");

	post(q, 4);
	assert_int_equal(bytes_in(q), 1);
	ow_queue_close(q);
}

static void a_server_that_arrives_wakes_the_next(void **state)
{
	struct ow_queue *q = make_queue("CHAIN");
	int left;

	post(q, 5);
	for (left = 4; left > 0; left--) {
		come(q);
		assert_int_equal(bytes_in(q), 1);
	}
	come(q);
	assert_int_equal(bytes_in(q), 0);
	post(q, 1);
	assert_int_equal(bytes_in(q), 1);
	ow_queue_close(q);
}

/* A server that has looked has changed the word, and another server, which a
 * surplus byte has woken, answers before there is more in the word. */
static void a_server_that_is_quick_wakes_the_next_all_the_same(void **state)
{
	struct ow_queue *q = make_queue("QUICK");
	uint32_t depth = 1;

	post(q, 5);
	ow_fifo_put(posix_of(q)->fifo);
	comes_at_once = dom_queue("QUICK", 8, 256);
	come(q);
	assert_null(comes_at_once);
	while (ow_fifo_take(posix_of(q)->fifo) == 0) {
		ow_bell_answer(posix_of(q));
		recv_msg(q, NULL, OW_DEADLINE_NOW);
	}
	assert_int_equal(ow_queue_depth(q, &depth), 0);
	assert_int_equal(depth, 0);
	ow_queue_close(q);
}

static void nobody_is_woken_for_what_others_have_taken(void **state)
{
	struct ow_queue *q = make_queue("TAKEN");

	post(q, 2);
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
	come(q);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_close(q);
}

static void after_its_time_another_server_is_woken(void **state)
{
	struct ow_queue *q = make_queue("LATE");
	uint64_t before = dom->waking.pending_ns;

	post(q, 1);
	dom->waking.pending_ns = 0;
	post(q, 1);
	dom->waking.pending_ns = before;
	assert_int_equal(bytes_in(q), 2);
	come(q); /* and knows of the message whose server has not come */
	come(q);
	ow_queue_close(q);
}

static void servers_that_do_not_come_get_a_bounded_number_of_bytes(void **state)
{
	struct ow_queue *q = make_queue("BOUND");
	uint64_t before = dom->waking.pending_ns;
	int i;

	post(q, 1);
	dom->waking.pending_ns = 0;
	for (i = 0; i < 2 * OW_BELL_BYTES; i++)
		ow_bell_ring(posix_of(q), 1, 0);
	dom->waking.pending_ns = before;
	assert_int_equal(bytes_in(q), OW_BELL_BYTES);
	ow_queue_close(q);
}

static void who_joins_a_kept_queue_is_told_of_what_waits(void **state)
{
	struct ow_queue *q = make_queue("KEPT");
	struct ow_waitset *w = NULL;
	uint32_t tag = 0;
	int left;

	post(q, 3);
	assert_int_equal(ow_fifo_take(posix_of(q)->fifo), 0); /* and died */
	assert_int_equal(dom_waitset(OW_WAKE_BELL, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 7), 0);
	for (left = 3; left > 0; left--) {
		assert_int_equal(ow_waitset_wait(w, false, &tag, NULL), 0);
		assert_int_equal(tag, 7);
		assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
	}
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	ow_waitset_close(w);
	ow_queue_close(q);
}

/* A look is worth while, and lasts until something comes. */
static void look_long(bool on)
{
	dom->waking.look_sample = on ? 1 : ow_waking_defaults.look_sample;
	dom->waking.look_min_ns = on ? 10 * OW_NS_PER_SEC
				     : ow_waking_defaults.look_min_ns;
	dom->waking.look_max_ns = on ? 10 * OW_NS_PER_SEC
				     : ow_waking_defaults.look_max_ns;
	atomic_store(&dom->tables->head->looks.spin,
		     on ? 1 + OW_SPIN_ALWAYS : 0);
}

/* Its service may take long, and no byte was written for the other message. */
static void a_server_that_looked_and_was_told_of_two_has_one_woken(void **state)
{
	struct ow_queue *a = make_queue("LOOKA"), *b = make_queue("LOOKB");
	struct ow_waitset *w = NULL;
	uint32_t tag = 0;

	assert_int_equal(dom_waitset(OW_WAKE_BELL, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, a, 1), 0);
	assert_int_equal(ow_waitset_add_queue(w, b, 2), 0);
	look_long(true);
	post(a, 1); /* comes soon, so the next wait begins with a look */
	assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), 0);
	assert_int_equal(recv_msg(a, NULL, OW_DEADLINE_NOW), 0);
	told[0] = a;
	told[1] = b;
	assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), 0);
	told[0] = NULL;
	look_long(false);
	assert_int_equal(announced, 2);
	assert_int_equal(tag, 1);
	assert_int_equal(bytes_in(a), 0);
	assert_int_equal(bytes_in(b), 1);
	assert_int_equal(recv_msg(a, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL), 0);
	assert_int_equal(tag, 2);
	assert_int_equal(recv_msg(b, NULL, OW_DEADLINE_NOW), 0);
	ow_waitset_close(w);
	ow_queue_close(a);
	ow_queue_close(b);
}

/* What a process does in which it may be killed. */
static void send_one(struct ow_queue *q)
{
	post(q, 1);
}

static void receive_one(struct ow_queue *q)
{
	come(q);
}

static void kill_at(const char *step, void (*work)(struct ow_queue *q),
		    struct ow_queue *q)
{
	pid_t pid;
	int st;

	pid = test_fork();
	if (pid == 0) {
		dies_at = step;
		work(q);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFSIGNALED(st));
}

/* The server that comes receives all `n`, and wakes a server for each. */
static void assert_all_are_found(struct ow_queue *q, int n)
{
	while (n-- > 0)
		come(q);
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
}

static void a_nudge_finds_what_any_death_leaves(void **state)
{
	static const struct {
		const char *step;
		void (*work)(struct ow_queue *q);
		int before, left;
	} deaths[] = {
		{ "posix.sent", send_one, 0, 1 },
		{ "posix.rung", send_one, 0, 1 },
		{ "posix.answered", receive_one, 3, 3 },
		{ "posix.looks_on", receive_one, 3, 2 },
		{ "posix.rung", receive_one, 3, 2 },
	};
	struct ow_queue *q;
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		snprintf(name, sizeof(name), "NUDGED%zu", i);
		q = make_queue(name);
		post(q, deaths[i].before);
		kill_at(deaths[i].step, deaths[i].work, q);
		assert_int_equal(bytes_in(q), 0);
		ow_queue_nudge(q);
		assert_all_are_found(q, deaths[i].left);
		ow_queue_close(q);
	}
}

/* Of 1,000 callers in line each has waited long enough. */
static void callers_nudge_while_no_server_is_on_its_way(void **state)
{
	struct ow_queue *q = make_queue("LINE");
	uint64_t before = dom->waking.pending_ns;
	int i;

	post(q, 3);
	for (i = 0; i < 100; i++)
		ow_queue_nudge_of_many(q);
	assert_int_equal(bytes_in(q), 1);
	come(q);
	assert_int_equal(bytes_in(q), 1); /* so it has looked */
	dom->waking.pending_ns = 0;	  /* the next one does not come */
	ow_queue_nudge_of_many(q);
	dom->waking.pending_ns = before;
	assert_int_equal(bytes_in(q), 2);
	come(q);
	come(q);
	ow_queue_close(q);
}

/* The word is 0: as after a sender that died before it had changed it. */
static void a_caller_nudges_if_nobody_was_told(void **state)
{
	struct ow_queue *q = make_queue("UNTOLD");

	kill_at("posix.sent", send_one, q);
	assert_int_equal(bytes_in(q), 0);
	ow_queue_nudge_of_many(q);
	assert_all_are_found(q, 1);
	ow_queue_close(q);
}

/* ndrxd, when a server has died: not one idle server, which would serve one
 * message after the other. */
static void ndrxd_finds_what_the_death_of_a_server_leaves(void **state)
{
	struct ow_queue *q = make_queue("NDRXD");
	struct ow_svc *s = posix_of(q)->svc;
	uint32_t ids[4];

	post(q, 3);
	kill_at("posix.answered", receive_one, q);
	assert_int_equal(bytes_in(q), 0);
	atomic_store(&s->nsrv, 1);
	assert_int_equal(ow_reap_nudge(dom, 0, ids, 4), 0);
	atomic_store(&s->nsrv, 0);
	assert_all_are_found(q, 3);
	ow_queue_close(q);
}

static void the_next_sender_finds_what_any_death_leaves(void **state)
{
	static const char *const steps[] = { "posix.rung", "posix.answered",
					     "posix.looks_on" };
	uint64_t before = dom->waking.pending_ns;
	struct ow_queue *q;
	char name[16];
	size_t i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "NEXT%zu", i);
		q = make_queue(name);
		post(q, 3);
		kill_at(steps[i], receive_one, q);
		dom->waking.pending_ns = 0; /* that long ago */
		post(q, 1);
		dom->waking.pending_ns = before;
		if (i == 0) /* dead after the word: late, so looked after */
			assert_all_are_found(q, 3);
		else
			come(q);
		ow_queue_close(q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(while_a_server_is_on_its_way_none_is_woken),
		cmocka_unit_test(a_server_that_arrives_wakes_the_next),
		cmocka_unit_test(
		    a_server_that_is_quick_wakes_the_next_all_the_same),
		cmocka_unit_test(nobody_is_woken_for_what_others_have_taken),
		cmocka_unit_test(after_its_time_another_server_is_woken),
		cmocka_unit_test(
		    servers_that_do_not_come_get_a_bounded_number_of_bytes),
		cmocka_unit_test(who_joins_a_kept_queue_is_told_of_what_waits),
		cmocka_unit_test(
		    a_server_that_looked_and_was_told_of_two_has_one_woken),
		cmocka_unit_test(a_nudge_finds_what_any_death_leaves),
		cmocka_unit_test(callers_nudge_while_no_server_is_on_its_way),
		cmocka_unit_test(a_caller_nudges_if_nobody_was_told),
		cmocka_unit_test(ndrxd_finds_what_the_death_of_a_server_leaves),
		cmocka_unit_test(the_next_sender_finds_what_any_death_leaves),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	dom->waking.pending_ns = OW_NS_PER_SEC * 10; /* however slow the CPU */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
