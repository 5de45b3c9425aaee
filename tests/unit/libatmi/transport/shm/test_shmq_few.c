/* SPDX-License-Identifier: Apache-2.0 */
/* test_shmq_few.c - short services wake the first few servers only */
#include "tests/unit/libatmi/transport/shm/shmq_servers.h"

/* What a server reports after each of its services. */
static void report_served(struct ow_queue *q, uint64_t took_ns, int times)
{
	while (times-- > 0)
		ow_queue_served(q, took_ns, false);
}

static uint32_t are_short(struct ow_shmq *q)
{
	return atomic_load(&q->head->short_services);
}

static void two_long_services_end_short_service_mode(void **state)
{
	struct ow_queue *q = dom_queue("QUICK", 50, 0);
	struct ow_shmq *shmq = NULL;

	assert_int_equal(ow_shmq_open(dom, "QUICK", &shmq), 0);
	report_served(q, 1000, 15);
	assert_int_equal(are_short(shmq), 0);
	report_served(q, 1000, 1);
	assert_int_equal(are_short(shmq), 1);
	report_served(q, OW_NS_PER_SEC, 1);
	assert_int_equal(are_short(shmq), 1);
	report_served(q, OW_NS_PER_SEC, 1);
	assert_int_equal(are_short(shmq), 0);
	report_served(q, 1000, 16);
	assert_int_equal(are_short(shmq), 1);
	ow_queue_served(q, 1000, true);
	ow_queue_served(q, 1000, true);
	assert_int_equal(are_short(shmq), 0);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* Servers of a queue in short-service mode, in which only the first few are woken:
 * here one. Returns its id. */
static uint32_t start_few(const char *name, pid_t *pid, struct ow_queue *q,
			  struct ow_shmq **ret)
{
	start_servers(name, pid);
	assert_int_equal(ow_shmq_open(dom, name, ret), 0);
	assert_in_range(atomic_load(&(*ret)->head->preferred), 4, SERVERS);
	atomic_store(&(*ret)->head->preferred, 1);
	report_served(q, 1000, 16);
	assert_int_equal(are_short(*ret), 1);
	return atomic_load(&(*ret)->head->member[0]) >> 8 & 0xffff;
}

static void send_many(struct ow_queue *q, uint32_t n)
{
	uint32_t i, was = all_served();

	for (i = 1; i <= n; i++)
		assert_int_equal(send_id(q, i, 50, OW_DEADLINE_NEVER), 0);
	WAIT_FOR(all_served() == was + n);
}

/*
 * Now and then the first server waits for a CPU for so long that it counts as
 * late, and another one is woken; it serves most messages all the same.
 */
static void short_services_wake_preferred_servers_only(void **state)
{
	struct ow_queue *q = dom_queue("FEW", 100, 0);
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_few("FEW", pid, q, &shmq);

	send_many(q, 5000);
	assert_in_range(atomic_load(&shared->served[first]), 2500, 5000);
	stop_servers(pid);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* The few are one server, and it is stopped in its sleep. */
static void the_second_sender_wakes_another_server_than_the_few(void **state)
{
	struct ow_queue *q = dom_queue("LATE", 100, 0);
	struct timespec nap = { .tv_nsec = 5000000 };
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_few("LATE", pid, q, &shmq);

	kill(pid[first], SIGSTOP);
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	nanosleep(&nap, NULL); /* a woken server counts as late after 2 ms */
	assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == 2);
	assert_int_equal(atomic_load(&shared->served[first]), 0);
	assert_int_equal(are_short(shmq), 1);
	stop_servers(pid);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* The same; and a nudge ends short-service mode for 100 ms. */
static void a_nudge_wakes_another_server_than_the_few(void **state)
{
	struct ow_queue *q = dom_queue("NUDGE", 100, 0);
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_few("NUDGE", pid, q, &shmq);
	uint64_t before = ow_clock_mono_ns(), from;

	kill(pid[first], SIGSTOP);
	put_silently("NUDGE");
	ow_queue_nudge(q);
	WAIT_FOR(all_served() == 1);
	assert_int_equal(atomic_load(&shared->served[first]), 0);
	assert_int_equal(are_short(shmq), 0);
	from = atomic_load(&shmq->head->short_not_before);
	assert_in_range(from, before + 100 * OW_NS_PER_MS,
			ow_clock_mono_ns() + 100 * OW_NS_PER_MS);
	atomic_store(&shmq->head->short_not_before, UINT64_MAX);
	report_served(q, 1000, 16);
	assert_int_equal(are_short(shmq), 0);
	atomic_store(&shmq->head->short_not_before, 0);
	report_served(q, 1000, 16);
	assert_int_equal(are_short(shmq), 1);
	stop_servers(pid);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* The request that holds up the few may depend on a message of this queue. */
static void others_are_woken_while_the_few_are_held_up_elsewhere(void **state)
{
	struct ow_queue *q = dom_queue("ELSE", 100, 0);
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_few("ELSE", pid, q, &shmq);
	struct ow_srv *srv = &dom->tables->srv[first];

	/* By hand: it is awake, with a request of its row 3 in hand that began
	 * just now, then long ago; then with one of row 7. */
	kill(pid[first], SIGSTOP);
	atomic_store(&srv->wake_word, OW_WORD_AWAKE);
	atomic_fetch_and(&shmq->head->idle[0], ~UINT64_C(1));
	atomic_store(&srv->cur_since, ow_clock_mono_ns() + OW_NS_PER_SEC);
	atomic_store(&srv->cur_adv, 1 + 3);
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	assert_true(all_asleep_but(first)); /* it will look again */
	atomic_store(&srv->cur_since, 1);
	assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == 2 && all_asleep_but(first));
	atomic_store(&srv->cur_since, ow_clock_mono_ns() + OW_NS_PER_SEC);
	atomic_store(&srv->cur_adv, 1 + 7);
	assert_int_equal(send_id(q, 3, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == 3);
	assert_int_equal(atomic_load(&shared->served[first]), 0);
	assert_int_equal(are_short(shmq), 1);
	atomic_store(&srv->cur_adv, 0);
	kill(pid[first], SIGCONT);
	stop_servers(pid);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_long_services_end_short_service_mode),
		cmocka_unit_test(short_services_wake_preferred_servers_only),
		cmocka_unit_test(
		    the_second_sender_wakes_another_server_than_the_few),
		cmocka_unit_test(a_nudge_wakes_another_server_than_the_few),
		cmocka_unit_test(
		    others_are_woken_while_the_few_are_held_up_elsewhere),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
