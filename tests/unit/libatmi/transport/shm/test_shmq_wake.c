/* SPDX-License-Identifier: Apache-2.0 */
/* test_shmq_wake.c - which server a message in shared memory wakes */
#include "tests/unit/libatmi/transport/shm/shmq_servers.h"

#include "libatmi/transport/shm/attention.h"

static void hot_wakes_the_server_that_served_last(void **state)
{
	struct ow_queue *q = dom_queue("HOT", 100, 0);
	uint32_t i, woken = 0;
	pid_t pid[SERVERS + 1];

	start_servers("HOT", pid);
	send_apart(q, 60);
	for (i = 1; i <= SERVERS; i++)
		woken += atomic_load(&shared->awake[i]) - 1;
	assert_int_equal(woken, 60); /* one message, one wake-up */
	for (i = 1; i <= SERVERS; i++)
		if (atomic_load(&shared->served[i]) != 0)
			assert_int_equal(atomic_load(&shared->served[i]), 60);
	stop_servers(pid);
	ow_queue_close(q);
}

static void even_wakes_servers_in_turn(void **state)
{
	struct ow_queue *q;
	pid_t pid[SERVERS + 1];
	uint32_t i;

	dom->wake = OW_WAKE_EVEN;
	q = dom_queue("EVEN", 100, 0);
	dom->wake = OW_WAKE_HOT;
	start_servers("EVEN", pid);
	send_apart(q, 60);
	for (i = 1; i <= SERVERS; i++)
		assert_int_equal(atomic_load(&shared->served[i]), 10);
	stop_servers(pid);
	ow_queue_close(q);
}

/*
 * Stop or kill the server that is woken next, send one message, and nudge
 * until another server has taken it: how long that took.
 */
static uint64_t time_to_another(const char *name, int sig)
{
	struct ow_queue *q = dom_queue(name, 100, 0);
	pid_t pid[SERVERS + 1];
	uint32_t i, next = 0;
	uint64_t t0;

	start_servers(name, pid);
	send_apart(q, 5);
	WAIT_FOR(all_asleep());
	for (i = 1; i <= SERVERS; i++)
		if (atomic_load(&shared->served[i]) != 0)
			next = i;
	assert_int_not_equal(next, 0);
	kill(pid[next], sig);
	if (sig == SIGKILL) /* it is not reaped: its idle bit stays set */
		waitpid(pid[next], NULL, 0);
	t0 = ow_clock_mono_ns();
	assert_int_equal(send_id(q, 5, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR((ow_queue_nudge(q), all_served() == 6));
	t0 = ow_clock_mono_ns() - t0;
	if (sig == SIGSTOP)
		kill(pid[next], SIGCONT);
	stop_servers(pid);
	ow_queue_close(q);
	return t0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * A nudge wakes another server when the woken one is 2 ms late; a poll would
 * come after a second. The median of 11 runs leaves room for a machine that
 * is busy elsewhere. Each run has a queue of its own, named `name` and a
 * letter: the servers of the run before leave their marks on theirs.
 */
static void assert_nudged(const char *name, int sig)
{
	uint64_t took[11];
	char own[16];
	int i;

	for (i = 0; i < 11; i++) {
		snprintf(own, sizeof(own), "%s%c", name, 'A' + i);
		took[i] = time_to_another(own, sig);
	}
	qsort(took, 11, sizeof(*took), compare);
	assert_in_range(took[5], 0, 50 * OW_NS_PER_MS);
}

static void a_nudge_replaces_a_woken_server_that_is_stopped(void **state)
{
	assert_nudged("STOP", SIGSTOP);
}

static void a_nudge_replaces_a_woken_server_that_is_killed(void **state)
{
	assert_nudged("DIED", SIGKILL);
}

/* Without a nudge: the next sender wakes another server. */
static void
the_next_sender_replaces_a_woken_server_that_is_stopped(void **state)
{
	struct ow_queue *q = dom_queue("NEXT", 100, 0);
	struct timespec nap = { .tv_nsec = 5000000 };
	pid_t pid[SERVERS + 1];
	uint32_t i, next = 0;

	start_servers("NEXT", pid);
	send_apart(q, 5);
	WAIT_FOR(all_asleep());
	for (i = 1; i <= SERVERS; i++)
		if (atomic_load(&shared->served[i]) != 0)
			next = i;
	kill(pid[next], SIGSTOP);
	assert_int_equal(send_id(q, 5, 50, OW_DEADLINE_NOW), 0);
	nanosleep(&nap, NULL); /* a woken server counts as late after 2 ms */
	assert_int_equal(send_id(q, 6, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == 7); /* both, by the one that was woken */
	kill(pid[next], SIGCONT);
	stop_servers(pid);
	ow_queue_close(q);
}

/* Server 6, the last that went to sleep, is the warm one. Server 1 polls every
 * 10 ms, finds each message and wakes server 6. It serves for itself only if
 * server 6 gets no CPU until the next poll. */
static void a_server_that_polls_wakes_the_warm_one(void **state)
{
	struct ow_queue *q = dom_queue("LOOK", 100, 0);
	pid_t pid[SERVERS + 1];
	uint32_t i;

	tick_ns = 10 * OW_NS_PER_MS;
	start_servers("LOOK", pid);
	tick_ns = 0;
	send_apart(q, 5);
	for (i = 5; i < 45; i++) {
		put_silently("LOOK");
		WAIT_FOR(all_served() == i + 1);
	}
	assert_in_range(atomic_load(&shared->served[1]), 0, 10);
	stop_servers(pid);
	ow_queue_close(q);
}

static void what_no_woken_server_takes_is_left_at_the_second_poll(void **state)
{
	struct ow_queue *q = dom_queue("CARE", 100, 0);
	int i;

	for (i = 0; i < 4; i++)
		put_silently("CARE");
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0); /* it moves */
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNATTENDED);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
}

static void a_woken_server_is_on_its_way_for_2_ms(void **state)
{
	struct ow_queue *q = dom_queue("LATE", 100, 0);
	struct ow_shmq *shmq = NULL;
	uint64_t now = ow_clock_mono_ns();
	uint32_t rank;

	/* This process is the idle server, and never takes a message. */
	assert_int_equal(ow_shmq_open(dom, "LATE", &shmq), 0);
	assert_int_equal(ow_srv_take(dom->tables, SERVERS + 1, "t"), 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	assert_int_equal(ow_shmq_join(shmq, SERVERS + 1, 0, &rank), 0);
	ow_tables_unlock(dom->tables);
	atomic_store(&dom->tables->srv[SERVERS + 1].wake_word, OW_WORD_IDLE);
	ow_shmq_set_idle(shmq, rank, true);
	assert_false(ow_shmq_wake_is_pending(shmq, now));
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NOW), 0);
	now = ow_clock_mono_ns();
	assert_true(ow_shmq_wake_is_pending(shmq, now));
	assert_false(ow_shmq_wake_is_pending(shmq, now + 5 * OW_NS_PER_MS));
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 1);
	assert_false(ow_shmq_wake_is_pending(shmq, now + 5 * OW_NS_PER_MS));
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 2);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_shmq_leave(shmq, SERVERS + 1);
	ow_tables_unlock(dom->tables);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* A server that looks has no futex to be woken by: the word is enough. */
static void a_server_that_looks_is_woken_by_its_word(void **state)
{
	struct ow_queue *q = dom_queue("LOOKS", 100, 0);
	struct ow_srv *srv = &dom->tables->srv[SERVERS + 2];
	struct ow_shmq *shmq = NULL;
	uint32_t rank;

	assert_int_equal(ow_shmq_open(dom, "LOOKS", &shmq), 0);
	assert_int_equal(ow_srv_take(dom->tables, SERVERS + 2, "t"), 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	assert_int_equal(ow_shmq_join(shmq, SERVERS + 2, 5, &rank), 0);
	ow_tables_unlock(dom->tables);
	atomic_store(&srv->wake_word, OW_WORD_LOOKING);
	ow_shmq_set_idle(shmq, rank, true);
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(atomic_load(&srv->wake_word), OW_WORD_WOKEN + 5);
	atomic_store(&srv->wake_word, OW_WORD_LOOKING);
	ow_attention_set(srv, OW_ATTENTION_FDS);
	assert_int_equal(atomic_load(&srv->wake_word), OW_WORD_KICKED);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 1);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_shmq_leave(shmq, SERVERS + 2);
	ow_tables_unlock(dom->tables);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

static void no_wake_up_is_lost_under_load(void **state)
{
	struct ow_queue *q = dom_queue("LOAD", 50, 0);
	pid_t pid[SERVERS + 1];
	uint32_t i, k, n = 0;

	start_servers("LOAD", pid);
	for (i = 0; i < 3000; i++) {
		for (k = 0; k <= i % 7; k++, n++)
			assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NEVER),
					 0);
		/* Without a nudge, without a poll. */
		WAIT_FOR(all_served() == n || lost(pid, n));
		assert_int_equal(all_served(), n);
	}
	stop_servers(pid);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hot_wakes_the_server_that_served_last),
		cmocka_unit_test(even_wakes_servers_in_turn),
		cmocka_unit_test(
		    a_nudge_replaces_a_woken_server_that_is_stopped),
		cmocka_unit_test(
		    a_nudge_replaces_a_woken_server_that_is_killed),
		cmocka_unit_test(
		    the_next_sender_replaces_a_woken_server_that_is_stopped),
		cmocka_unit_test(a_server_that_polls_wakes_the_warm_one),
		cmocka_unit_test(
		    what_no_woken_server_takes_is_left_at_the_second_poll),
		cmocka_unit_test(a_woken_server_is_on_its_way_for_2_ms),
		cmocka_unit_test(a_server_that_looks_is_woken_by_its_word),
		cmocka_unit_test(no_wake_up_is_lost_under_load),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
