/* SPDX-License-Identifier: Apache-2.0 */
/* test_shmq_wake.c - which server a message in shared memory wakes */
#include "tests/unit/libatmi/transport/shm/shmq_test.h"

#include "libatmi/wire/msg.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/transport/shm/segment.h"

#define SERVERS 6

static uint64_t tick_ns; /* period at which server 1 polls; 0: never */

/* A server's loop; served[] counts, awake[] counts its wake-ups. */
static void serve(uint32_t srvid, const char *name)
{
	struct ow_waitset *w = NULL;
	struct ow_queue *q = NULL;
	uint32_t tag = 0;

	if (ow_srv_take(dom->tables, srvid, "t") != 0 ||
	    ow_queue_open(dom, ow_service_queue(name), &q) != 0 ||
	    ow_waitset_open(dom, srvid, &w) != 0)
		_exit(1);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	if (ow_waitset_add_queue(w, q, 3) != 0)
		_exit(2);
	ow_tables_unlock(dom->tables);
	if (srvid == 1)
		ow_waitset_tick(w, tick_ns);
	atomic_store(&shared->awake[srvid], 1);
	for (;;) {
		if (ow_waitset_wait(w, true, &tag, NULL) != 0 ||
		    tag == OW_WAITSET_TICK)
			continue;
		atomic_fetch_add(&shared->awake[srvid], 1);
		if (recv_id(q, OW_DEADLINE_NOW) >= 0)
			atomic_fetch_add(&shared->served[srvid], 1);
	}
}

static bool is_asleep(uint32_t id)
{
	return atomic_load(&dom->tables->srv[id].wake_word) == OW_WORD_IDLE;
}

static uint32_t all_served(void)
{
	uint32_t i, n = 0;

	for (i = 1; i <= SERVERS; i++)
		n += atomic_load(&shared->served[i]);
	return n;
}

static bool all_asleep_but(uint32_t id)
{
	uint32_t i;

	for (i = 1; i <= SERVERS; i++)
		if (i != id && !is_asleep(i))
			return false;
	return true;
}

static bool all_asleep(void)
{
	return all_asleep_but(0);
}

static void start_servers(const char *name, pid_t *pid)
{
	uint32_t i;

	clear_shared();
	for (i = 1; i <= SERVERS; i++) {
		pid[i] = test_fork();
		if (pid[i] == 0)
			serve(i, name);
		WAIT_FOR(atomic_load(&shared->awake[i]) == 1 && is_asleep(i));
	}
	WAIT_FOR(all_asleep());
}

static char proc_state(pid_t pid)
{
	char path[40], text[512] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 'X';
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	end = strrchr(text, ')');
	return end != NULL ? end[2] : 'X';
}

/*
 * Are messages left in the queue while every server sleeps, at 20 looks in a
 * row? A woken server that waits for a CPU is in state R: not asleep.
 */
static bool lost(const pid_t *pid, uint32_t n)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	uint32_t i, look;

	for (look = 0; look < 20; look++) {
		for (i = 1; i <= SERVERS; i++)
			if (proc_state(pid[i]) == 'R')
				return false;
		if (all_served() >= n)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static void stop_servers(const pid_t *pid)
{
	uint32_t i;

	for (i = 1; i <= SERVERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		ow_reap_server(dom, i, false);
	}
}

/* Send n messages, each when all servers sleep. */
static void send_apart(struct ow_queue *q, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		WAIT_FOR(all_asleep());
		assert_int_equal(send_id(q, i, 50, OW_DEADLINE_NOW), 0);
		WAIT_FOR(all_served() == i + 1);
	}
}

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

/* As a sender that dies between putting its message and waking. */
static void put_silently(const char *svc)
{
	struct ow_shmq *q = NULL;
	uint64_t ref = 0;
	struct ow_msg *m;
	void *data;

	assert_int_equal(ow_shmq_open(dom, svc, &q), 0);
	assert_int_equal(ow_block_alloc(dom->blocks, sizeof(uint32_t), 0, &ref,
					&data), 0);
	m = ow_block_msg(dom->blocks, ref);
	*m = (struct ow_msg){ .magic = OW_MSG_MAGIC,
			      .version = OW_MSG_VERSION,
			      .kind = OW_MSG_REQUEST,
			      .buftype = OW_BUF_CARRAY,
			      .len = sizeof(uint32_t) };
	memset(data, 0, sizeof(uint32_t));
	ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED);
	assert_int_equal(ow_shmq_put(q, ref, 50), 0);
	ow_shmq_close(q);
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

/* While others take messages, a woken server counts as late after 20 ms, not
 * 2 ms: then it waits for a CPU, as they do. */
static void a_woken_server_has_more_time_while_the_queue_drains(void **state)
{
	struct ow_queue *q = dom_queue("MOVES", 100, 0);
	struct ow_shmq *shmq = NULL;
	uint64_t now = ow_clock_mono_ns();
	uint32_t rank;

	/* This process is the idle server, and never takes a message. */
	assert_int_equal(ow_shmq_open(dom, "MOVES", &shmq), 0);
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
	assert_true(ow_shmq_wake_is_pending(shmq, now + 5 * OW_NS_PER_MS));
	assert_false(ow_shmq_wake_is_pending(shmq, now + 30 * OW_NS_PER_MS));
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 2);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_shmq_leave(shmq, SERVERS + 1);
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
		cmocka_unit_test(two_long_services_end_short_service_mode),
		cmocka_unit_test(short_services_wake_preferred_servers_only),
		cmocka_unit_test(
		    the_second_sender_wakes_another_server_than_the_few),
		cmocka_unit_test(a_nudge_wakes_another_server_than_the_few),
		cmocka_unit_test(
		    others_are_woken_while_the_few_are_held_up_elsewhere),
		cmocka_unit_test(
		    a_woken_server_has_more_time_while_the_queue_drains),
		cmocka_unit_test(no_wake_up_is_lost_under_load),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
