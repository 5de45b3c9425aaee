/* SPDX-License-Identifier: Apache-2.0 */
/* test_shmq.c - queues in shared memory: order, limits, threads, deaths */
#include "tests/unit/libatmi/transport/shm/shmq_test.h"

#include <pthread.h>

#include "libatmi/wire/msg.h"
#include "libatmi/transport/shm/shmq.h"

#define THREAD_IDS 100000

/* ---- order and limits ---- */

static void higher_priorities_come_first_and_equal_ones_in_order(void **state)
{
	struct ow_queue *q = dom_queue("PRIO", 1000, 0);
	static const unsigned int prio[] = { 50, 1, 100, 50, 63, 64, 65, 1 };
	static const int want[] = { 2, 6, 5, 4, 0, 3, 1, 7 };
	uint32_t i;

	for (i = 0; i < 8; i++)
		assert_int_equal(send_id(q, i, prio[i], OW_DEADLINE_NOW), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(recv_id(q, OW_DEADLINE_NOW), want[i]);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), -1);
	ow_queue_close(q);
}

/* Compare with a model; the queue fills and empties. */
static void random_priorities_follow_the_model(void **state)
{
	struct ow_queue *q = dom_queue("MODEL", 3000, 0);
	static uint32_t fifo[101][200000];
	static uint32_t first[101], last[101];
	uint32_t i, n = 0, id = 0;
	unsigned int seed = 3, p;

	for (i = 0; i < 150000; i++) {
		if (rand_r(&seed) % 1000 < (i / 20000 % 2 ? 400 : 600) &&
		    n < 3000) {
			p = (unsigned int)rand_r(&seed) % 100 + 1;
			assert_int_equal(send_id(q, id, p, OW_DEADLINE_NOW),
					 0);
			fifo[p][last[p]++] = id++;
			n++;
			continue;
		}
		for (p = 100; p > 0 && first[p] == last[p]; p--)
			;
		assert_int_equal(recv_id(q, OW_DEADLINE_NOW),
				 p > 0 ? (int)fifo[p][first[p]++] : -1);
		n -= p > 0;
	}
	while (recv_id(q, OW_DEADLINE_NOW) >= 0)
		n--;
	assert_int_equal(n, 0);
	assert_int_equal(used(), 0);
	ow_queue_close(q);
}

static void the_limit_counts_messages_of_all_priorities(void **state)
{
	struct ow_queue *q = dom_queue("LIMIT", 10, 0);
	uint32_t i, round, depth = 0;

	for (round = 0; round < 500; round++) {
		for (i = 0; i < 10; i++)
			assert_int_equal(send_id(q, i, 10 * i,
						 OW_DEADLINE_NOW), 0);
		assert_int_equal(send_id(q, 10, 5, OW_DEADLINE_NOW),
				 OW_QUEUE_FULL);
		ow_queue_depth(q, &depth);
		assert_int_equal(depth, 10);
		for (i = 10; i-- > 0;)
			assert_int_equal(recv_id(q, OW_DEADLINE_NOW), i);
	}
	ow_queue_close(q);
}

static void a_send_to_a_full_queue_ends_at_the_deadline(void **state)
{
	struct ow_queue *q = dom_queue("DEAD", 1, 0);
	uint64_t t0;

	assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
	t0 = ow_clock_mono_ns();
	assert_int_equal(send_id(q, 2, 50, t0 + 30 * OW_NS_PER_MS),
			 OW_QUEUE_TIMEOUT);
	assert_true(ow_clock_mono_ns() - t0 >= 30 * OW_NS_PER_MS);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 1);
	assert_int_equal(used(), 0);
	ow_queue_close(q);
}

static void *take_one_later(void *q)
{
	struct timespec nap = { .tv_nsec = 30000000 };

	nanosleep(&nap, NULL); /* probably the sender waits by then */
	recv_id(q, OW_DEADLINE_NOW);
	return NULL;
}

static void a_waiting_sender_is_woken_when_there_is_room(void **state)
{
	struct ow_queue *q = dom_queue("ROOM", 1, 0), *other = NULL;
	uint64_t t0, took, best = UINT64_MAX;
	pthread_t t;
	int i;

	assert_int_equal(ow_queue_open(dom, ow_service_queue("ROOM"), &other),
			 0);
	for (i = 0; i < 5; i++) {
		t0 = ow_clock_mono_ns();
		assert_int_equal(send_id(q, 1, 50, OW_DEADLINE_NOW), 0);
		pthread_create(&t, NULL, take_one_later, other);
		assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NEVER), 0);
		took = ow_clock_mono_ns() - t0;
		best = took < best ? took : best;
		pthread_join(t, NULL);
		assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 2);
	}
	/* The sender was woken; its slice did not end. */
	assert_true(best < 800 * OW_NS_PER_MS);
	ow_queue_close(other);
	ow_queue_close(q);
}

static void a_removed_queue_works_for_processes_that_have_it_open(void **state)
{
	struct ow_queue *q = dom_queue("GONE", 4, 0), *n = NULL;
	struct ow_queue_shape shape = { 4, 0 };

	assert_int_equal(send_id(q, 7, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_queue_remove(dom, ow_service_queue("GONE")), 0);
	assert_int_equal(ow_queue_open(dom, ow_service_queue("GONE"), &n),
			 OW_QUEUE_GONE);
	assert_int_equal(ow_queue_create(dom, ow_service_queue("GONE"),
					 &shape, &n), 0);
	assert_int_equal(recv_id(n, OW_DEADLINE_NOW), -1);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 7);
	ow_queue_close(n);
	ow_queue_close(q);
}

/* ---- many at once ---- */

static void *sender(void *name)
{
	struct ow_queue *q = NULL;
	uint32_t id;

	if (ow_queue_open(dom, ow_service_queue(name), &q) != 0)
		return NULL;
	while ((id = atomic_fetch_add(&shared->next, 1)) < THREAD_IDS)
		if (send_id(q, id, id % 100 + 1, OW_DEADLINE_NEVER) == 0)
			atomic_store(&shared->sent[id], 1);
	ow_queue_close(q);
	return NULL;
}

static void *taker(void *name)
{
	struct ow_queue *q = NULL;
	int id;

	if (ow_queue_open(dom, ow_service_queue(name), &q) != 0)
		return NULL;
	while (atomic_load(&shared->stop) == 0) {
		id = recv_id(q, OW_DEADLINE_NOW);
		if (id >= 0)
			atomic_fetch_add(&shared->got[id], 1);
		else
			sched_yield();
	}
	while ((id = recv_id(q, OW_DEADLINE_NOW)) >= 0)
		atomic_fetch_add(&shared->got[id], 1);
	ow_queue_close(q);
	return NULL;
}

static void threads_neither_lose_nor_duplicate_messages(void **state)
{
	struct ow_queue *q = dom_queue("MANY", 100, 0);
	pthread_t s[4], t[4];
	uint32_t i;

	clear_shared();
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, taker, "MANY");
	for (i = 0; i < 4; i++)
		pthread_create(&s[i], NULL, sender, "MANY");
	for (i = 0; i < 4; i++)
		pthread_join(s[i], NULL);
	atomic_store(&shared->stop, 1);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < THREAD_IDS; i++) {
		assert_int_equal(shared->sent[i], 1);
		assert_int_equal(shared->got[i], 1);
	}
	ow_queue_close(q);
}

/* ---- killed at any moment ---- */

/* Send messages with numbers: a taker notes the number before it frees the
 * block. */
static void send_until_killed(struct ow_queue *q)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_NULL };

	while ((m.seq = atomic_fetch_add(&shared->next, 1)) < IDS)
		if (send_msg(q, &m, m.seq % 100 + 1, OW_DEADLINE_NEVER) == 0)
			atomic_store(&shared->sent[m.seq], 1);
}

static int take_msg(struct ow_queue *q)
{
	struct test_in in;

	if (recv_in(q, &in, OW_DEADLINE_NOW) != 0)
		return OW_QUEUE_EMPTY;
	atomic_fetch_add(&shared->got[in.e.head->seq], 1);
	ow_envelope_close(&in.e);
	return 0;
}

static pid_t start(uint32_t i)
{
	struct ow_queue *q = NULL;
	pid_t pid = test_fork();

	if (pid != 0)
		return pid;
	if (ow_queue_open(dom, ow_service_queue("KILL"), &q) != 0)
		_exit(1);
	if (i < 4)
		send_until_killed(q);
	for (;;)
		if (take_msg(q) != 0)
			sched_yield();
}

/* A message that a killed taker had in hand, or a killed sender was sending. */
static bool note_orphan(const struct ow_orphan *o, void *arg)
{
	if (o->kind == OW_BLOCK_QUEUED)
		return false; /* in the queue, or not yet put */
	if (o->kind == OW_BLOCK_TAKEN)
		atomic_fetch_add(
		    &shared->got[ow_block_msg(dom->blocks, o->ref)->seq], 1);
	return true;
}

static unsigned int kill_for(uint64_t ns, pid_t *pid)
{
	uint64_t end = ow_clock_mono_ns() + ns;
	unsigned int seed = 9, kills;
	struct timespec nap = { 0 };
	uint32_t i;

	for (i = 0; i < 8; i++)
		pid[i] = start(i);
	for (kills = 0; kills < KILLS_MIN || ow_clock_mono_ns() < end;
	     kills++) {
		nap.tv_nsec = rand_r(&seed) % 2000000;
		nanosleep(&nap, NULL);
		i = (unsigned int)rand_r(&seed) % 8;
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		ow_blocks_sweep(dom->blocks, 0, note_orphan, NULL);
		pid[i] = start(i);
	}
	for (i = 0; i < 8; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	ow_blocks_sweep(dom->blocks, 0, note_orphan, NULL);
	return kills;
}

static void killed_processes_neither_lose_nor_duplicate_messages(void **state)
{
	struct ow_queue *q = dom_queue("KILL", 64, 0);
	uint32_t i, n = 0, twice = 0;
	unsigned int kills;
	pid_t pid[8];

	clear_shared();
	kills = kill_for(2 * OW_NS_PER_SEC, pid);
	ow_queue_nudge(q); /* a sender may have died before it set the bit */
	while (take_msg(q) == 0)
		;
	for (i = 0; i < IDS; i++) {
		n += shared->sent[i];
		assert_true(!shared->sent[i] || shared->got[i] > 0);
		twice += shared->got[i] > 1; /* died between note and free */
		assert_true(shared->got[i] <= 2);
	}
	print_message("%u kills, %u messages, %u noted twice\n", kills, n,
		      twice);
	assert_true(n > 1000 && twice <= kills);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    higher_priorities_come_first_and_equal_ones_in_order),
		cmocka_unit_test(random_priorities_follow_the_model),
		cmocka_unit_test(the_limit_counts_messages_of_all_priorities),
		cmocka_unit_test(a_send_to_a_full_queue_ends_at_the_deadline),
		cmocka_unit_test(a_waiting_sender_is_woken_when_there_is_room),
		cmocka_unit_test(
		    a_removed_queue_works_for_processes_that_have_it_open),
		cmocka_unit_test(threads_neither_lose_nor_duplicate_messages),
		cmocka_unit_test(
		    killed_processes_neither_lose_nor_duplicate_messages),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
