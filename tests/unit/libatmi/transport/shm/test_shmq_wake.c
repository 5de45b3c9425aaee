/* SPDX-License-Identifier: Apache-2.0 */
/* test_shmq_wake.c - queues in shared memory: which servers are woken */
#include "tests/unit/libatmi/transport/shm/shmq_test.h"

#include "libatmi/wire/msg.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/transport/shm/segment.h"

#define SERVERS 6

static uint64_t tick_ns; /* period of the polls of servers; 0: none */

/* The loop of a server; served[] counts messages, awake[] wake-ups. */
static void serve(uint32_t srvid, const char *name)
{
	struct ow_waitset *w = NULL;
	struct ow_queue *q = NULL;
	uint32_t tag = 0;

	if (ow_srv_take(dom->tables, srvid, "t") != 0 ||
	    ow_queue_open(dom, ow_service_queue(name), &q) != 0 ||
	    ow_waitset_open(dom, srvid, &w) != 0)
		_exit(1);
	ow_tables_lock(dom->tables);
	if (ow_waitset_add_queue(w, q, 3) != 0)
		_exit(2);
	ow_tables_unlock(dom->tables);
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
	}
	for (i = 1; i <= SERVERS; i++)
		WAIT_FOR(atomic_load(&shared->awake[i]) == 1);
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

/* Is a wake-up lost: do all servers sleep, check after check, although messages
 * are left? A server that was woken is in state R, even without a CPU. */
static bool is_wake_up_lost(const pid_t *pid, uint32_t n)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	uint32_t i, checks;

	for (checks = 0; checks < 20; checks++) {
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
	struct ow_refusal ignored;
	uint32_t i;

	for (i = 1; i <= SERVERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		ow_reap_server(dom, i, false, &ignored);
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

static void hot_wakes_the_same_server(void **state)
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

static void even_wakes_all_servers_in_turn(void **state)
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

/* Stop or kill the server that is woken next: another server serves its message
 * although no other message is sent. Returns the time that took. */
static uint64_t hold_up(const char *name, int sig)
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
	if (sig == SIGKILL) /* not yet reaped: its idle bit is set */
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

/* The nudge woke the other server, not a poll, which comes once a second. On a
 * busy machine one of three tries may take longer, not all. */
static void assert_nudged(const char *name, int sig)
{
	uint64_t best = UINT64_MAX, took;
	int i;

	for (i = 0; i < 3; i++) {
		took = hold_up(name, sig);
		best = took < best ? took : best;
	}
	assert_true(best < 900 * OW_NS_PER_MS);
}

static void a_nudge_wakes_another_server_if_one_is_stopped(void **state)
{
	assert_nudged("STOP", SIGSTOP);
}

static void a_nudge_wakes_another_server_if_one_is_killed(void **state)
{
	assert_nudged("DIED", SIGKILL);
}

/* Without a nudge: the next sender does not rely on the stopped server. */
static void the_next_sender_ignores_an_overdue_wake_up(void **state)
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
	nanosleep(&nap, NULL); /* longer than a pending wake-up counts */
	assert_int_equal(send_id(q, 6, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == 7); /* one wake-up for both messages */
	kill(pid[next], SIGCONT);
	stop_servers(pid);
	ow_queue_close(q);
}

/* Put a message as a sender that dies before it wakes a server. */
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

/* Six servers poll all the time; the warm one serves nearly all messages. */
static void a_polling_server_wakes_the_warm_server(void **state)
{
	struct ow_queue *q = dom_queue("POLL", 100, 0);
	pid_t pid[SERVERS + 1];
	uint32_t i, most = 0;

	tick_ns = 10 * OW_NS_PER_MS;
	start_servers("POLL", pid);
	tick_ns = 0;
	send_apart(q, 5);
	for (i = 5; i < 45; i++) {
		put_silently("POLL");
		WAIT_FOR(all_served() == i + 1);
	}
	for (i = 1; i <= SERVERS; i++)
		if (atomic_load(&shared->served[i]) > most)
			most = atomic_load(&shared->served[i]);
	assert_in_range(most, 25, 45);
	stop_servers(pid);
	ow_queue_close(q);
}

static void
a_queue_that_does_not_move_is_unattended_at_the_next_poll(void **state)
{
	struct ow_queue *q = dom_queue("ATTEND", 100, 0);
	int i;

	for (i = 0; i < 4; i++)
		put_silently("ATTEND");
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0); /* moves */
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNATTENDED);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_queue_attendance(q), OW_QUEUE_UNSURE);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
}

/* Report services as a server does after each of them. */
static void report_served(struct ow_queue *q, uint64_t took_ns, int times)
{
	while (times-- > 0)
		ow_queue_served(q, took_ns, false);
}

static uint32_t are_short(struct ow_shmq *q)
{
	return atomic_load(&q->head->short_services);
}

static void one_long_service_is_an_exception_two_are_not(void **state)
{
	struct ow_queue *q = dom_queue("SHORT", 50, 0);
	struct ow_shmq *shmq = NULL;

	assert_int_equal(ow_shmq_open(dom, "SHORT", &shmq), 0);
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

/* Start servers of a queue with short services and one preferred server.
 * Returns its id. */
static uint32_t start_preferred(const char *name, pid_t *pid,
				struct ow_queue *q, struct ow_shmq **ret)
{
	start_servers(name, pid);
	assert_int_equal(ow_shmq_open(dom, name, ret), 0);
	assert_in_range(atomic_load(&(*ret)->head->preferred), 4, SERVERS);
	atomic_store(&(*ret)->head->preferred, 1);
	report_served(q, 1000, 16);
	assert_int_equal(are_short(*ret), 1);
	return atomic_load(&(*ret)->head->member[0]) >> 8 & 0xffff;
}

/* Send 500 messages at once. Returns how many of them server `id` served. */
static uint32_t share_of(uint32_t id, struct ow_queue *q)
{
	uint32_t i, was = all_served();
	uint32_t own = atomic_load(&shared->served[id]);

	for (i = 1; i <= 500; i++)
		assert_int_equal(send_id(q, i, 50, OW_DEADLINE_NEVER), 0);
	WAIT_FOR(all_served() == was + 500);
	return atomic_load(&shared->served[id]) - own;
}

/* The preferred server serves all messages, unless it waits for a CPU until its
 * wake-up is overdue; that does not happen every time. When it is stopped in
 * its sleep, the next sender but one wakes another server. A nudge wakes
 * another one in any case, and then all servers are woken again. */
static void only_preferred_servers_are_woken_for_short_services(void **state)
{
	struct ow_queue *q = dom_queue("PREFER", 100, 0);
	struct timespec nap = { .tv_nsec = 5000000 };
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_preferred("PREFER", pid, q, &shmq);
	uint32_t n, own, tries = 10;

	while (share_of(first, q) < 500)
		assert_true(tries-- > 0);
	WAIT_FOR(all_asleep());
	n = all_served();
	own = atomic_load(&shared->served[first]);
	kill(pid[first], SIGSTOP);
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	nanosleep(&nap, NULL); /* longer than a pending wake-up counts */
	assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NOW), 0);
	WAIT_FOR(all_served() == n + 2);
	assert_int_equal(are_short(shmq), 1);
	put_silently("PREFER");
	ow_queue_nudge(q);
	WAIT_FOR(all_served() == n + 3);
	assert_int_equal(atomic_load(&shared->served[first]), own);
	assert_int_equal(are_short(shmq), 0);
	report_served(q, 1000, 16); /* assumed long for a while */
	assert_int_equal(are_short(shmq), 0);
	WAIT_FOR((report_served(q, 1000, 1), are_short(shmq)) == 1);
	kill(pid[first], SIGCONT);
	stop_servers(pid);
	ow_shmq_close(shmq);
	ow_queue_close(q);
}

/* The preferred servers may wait for a message in this queue themselves. */
static void
other_servers_are_woken_while_preferred_ones_are_held_up(void **state)
{
	struct ow_queue *q = dom_queue("ELSE", 100, 0);
	struct ow_shmq *shmq = NULL;
	pid_t pid[SERVERS + 1];
	uint32_t first = start_preferred("ELSE", pid, q, &shmq);
	struct ow_srv *srv = &dom->tables->srv[first];

	/* It is awake, with a request of this queue (row 3) in hand, then for
	 * long, then with a request of row 7. */
	kill(pid[first], SIGSTOP);
	atomic_store(&srv->wake_word, OW_WORD_AWAKE);
	atomic_fetch_and(&shmq->head->idle[0], ~UINT64_C(1));
	atomic_store(&srv->cur_since, ow_clock_mono_ns() + OW_NS_PER_SEC);
	atomic_store(&srv->cur_adv, 1 + 3);
	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	assert_true(all_asleep_but(first)); /* it will check soon */
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

/* A pending wake-up counts ten times as long while servers take messages: the
 * woken server waits for a CPU, as they do. */
static void a_pending_wake_up_counts_longer_while_the_queue_moves(void **state)
{
	struct ow_queue *q = dom_queue("MOVES", 100, 0);
	struct ow_shmq *shmq = NULL;
	uint64_t now = ow_clock_mono_ns();
	uint32_t rank;

	/* This process is a server that is idle and never wakes up. */
	assert_int_equal(ow_shmq_open(dom, "MOVES", &shmq), 0);
	assert_int_equal(ow_srv_take(dom->tables, SERVERS + 1, "t"), 0);
	ow_tables_lock(dom->tables);
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
	ow_tables_lock(dom->tables);
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
		/* Without nudges and polls. */
		WAIT_FOR(all_served() == n || is_wake_up_lost(pid, n));
		assert_int_equal(all_served(), n);
	}
	stop_servers(pid);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hot_wakes_the_same_server),
		cmocka_unit_test(even_wakes_all_servers_in_turn),
		cmocka_unit_test(
		    a_nudge_wakes_another_server_if_one_is_stopped),
		cmocka_unit_test(a_nudge_wakes_another_server_if_one_is_killed),
		cmocka_unit_test(the_next_sender_ignores_an_overdue_wake_up),
		cmocka_unit_test(a_polling_server_wakes_the_warm_server),
		cmocka_unit_test(
		    a_queue_that_does_not_move_is_unattended_at_the_next_poll),
		cmocka_unit_test(one_long_service_is_an_exception_two_are_not),
		cmocka_unit_test(
		    only_preferred_servers_are_woken_for_short_services),
		cmocka_unit_test(
		    other_servers_are_woken_while_preferred_ones_are_held_up),
		cmocka_unit_test(
		    a_pending_wake_up_counts_longer_while_the_queue_moves),
		cmocka_unit_test(no_wake_up_is_lost_under_load),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
