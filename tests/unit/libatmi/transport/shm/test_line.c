/* SPDX-License-Identifier: Apache-2.0 */
/* test_line.c - senders at a full queue go in the order of their coming */
#include "tests/unit/libatmi/transport/shm/shmq_test.h"

#include <pthread.h>

#include "libatmi/transport/shm/line.h"
#include "libatmi/transport/shm/segment.h"
#include "libatmi/transport/shm/shm.h"

#define SENDERS 12
#define NEVER	OW_DEADLINE_NEVER

static struct ow_queue *open_queue(const char *name)
{
	struct ow_queue *q = NULL;

	assert_int_equal(ow_queue_open(dom, ow_service_queue(name), &q), 0);
	return q;
}

static int32_t waiting(struct ow_queue *q)
{
	struct shmq_head *h = shm_of(q)->shmq->head;

	return (int32_t)(h->last - h->gone);
}

/* ---- one after the other ---- */

struct sender {
	struct ow_queue *q;
	uint32_t id;
	pthread_t thread;
	int result;
};

static void *send_one(void *arg)
{
	struct sender *s = arg;

	s->result = send_id(s->q, s->id, 50, NEVER);
	return NULL;
}

static void start(struct sender *s, const char *name, uint32_t id)
{
	int32_t before;

	s->q = open_queue(name);
	s->id = id;
	before = waiting(s->q);
	pthread_create(&s->thread, NULL, send_one, s);
	WAIT_FOR(waiting(s->q) > before);
}

static void end(struct sender *s)
{
	pthread_join(s->thread, NULL);
	assert_int_equal(s->result, 0);
	ow_queue_close(s->q);
}

/* Who gets no CPU for GHOST_NS (line.c) counts as dead, and is passed by: from
 * then on the order is another one. Each still comes once. Who sees room while
 * nobody leaves the line sees it in one turn of this loop or in two, with the
 * time between them: half of GHOST_NS each is too long. */
static void who_waits_longest_is_first(void **state)
{
	struct ow_queue *q = dom_queue("FIRST", 1, 0);
	uint64_t now, begun, late = 90 * OW_NS_PER_MS;
	bool starved = false, seen[SENDERS + 1] = { false };
	struct sender s[SENDERS];
	uint32_t i;
	int id;

	assert_int_equal(send_id(q, 0, 50, OW_DEADLINE_NOW), 0);
	for (i = 0; i < SENDERS; i++)
		start(&s[i], "FIRST", i + 1);
	for (begun = ow_clock_mono_ns(), i = 0; i <= SENDERS; i++) {
		WAIT_FOR((id = recv_id(q, OW_DEADLINE_NOW)) >= 0);
		now = ow_clock_mono_ns();
		starved |= now - begun > late;
		begun = now;
		assert_in_range(id, 0, SENDERS);
		assert_false(seen[id]);
		seen[id] = true;
		if (!starved)
			assert_int_equal(id, i);
	}
	for (i = 0; i < SENDERS; i++)
		end(&s[i]);
	assert_int_equal(waiting(q), 0);
	ow_queue_close(q);
}

static void a_newcomer_takes_no_place_of_one_who_waits(void **state)
{
	struct ow_queue *q = dom_queue("NEW", 2, 0);
	struct sender s;

	assert_int_equal(send_id(q, 0, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_id(q, 0, 50, OW_DEADLINE_NOW), 0);
	start(&s, "NEW", 7);
	/* It does not see the room before it is woken: take, then send. */
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_id(q, 9, 50, OW_DEADLINE_NOW), OW_QUEUE_FULL);
	end(&s);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 7);
	assert_int_equal(send_id(q, 9, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 9);
	ow_queue_close(q);
}

static void who_gives_up_lets_others_move_up(void **state)
{
	struct ow_queue *q = dom_queue("UP", 1, 0), *other;
	struct sender s;

	other = open_queue("UP");
	assert_int_equal(send_id(q, 0, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_id(other, 1, 50, ow_clock_mono_ns() + 20 * OW_NS_PER_MS),
			 OW_QUEUE_TIMEOUT);
	assert_int_equal(waiting(q), 1);
	start(&s, "UP", 2);
	assert_int_equal(waiting(q), 2);
	ow_queue_give_up(other);
	ow_queue_give_up(other);
	assert_int_equal(waiting(q), 1);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	end(&s);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 2);
	ow_queue_close(other);
	ow_queue_close(q);
}

/* Senders that were killed while they waited. */
static void ghosts_delay_the_line_for_a_moment(void **state)
{
	struct ow_queue *q = dom_queue("GHOST", 1, 0);
	struct ow_place ghost;
	uint64_t t0;
	int i;

	assert_int_equal(send_id(q, 0, 50, OW_DEADLINE_NOW), 0);
	for (i = 0; i < 20; i++) {
		ghost.taken = false;
		ow_line_join(shm_of(q)->shmq, &ghost);
	}
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 0);
	t0 = ow_clock_mono_ns();
	assert_int_equal(send_id(q, 1, 50, NEVER), 0);
	assert_true(ow_clock_mono_ns() - t0 < 10 * OW_NS_PER_SEC);
	assert_int_equal(recv_id(q, OW_DEADLINE_NOW), 1);
	/* The last one was alive after all, and leaves. */
	ow_line_leave(shm_of(q)->shmq, &ghost);
	assert_true(waiting(q) <= 0);
	assert_int_equal(send_id(q, 2, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_id(q, 3, 50, ow_clock_mono_ns() + 20 * OW_NS_PER_MS),
			 OW_QUEUE_TIMEOUT);
	assert_int_equal(waiting(q), 1);
	ow_queue_give_up(q);
	assert_int_equal(waiting(q), 0);
	ow_queue_close(q);
}

/* On a busy machine those who wait get no CPU for long, and are taken for dead:
 * three of them are passed, and send in their turn afterwards. */
static void who_was_taken_for_dead_lets_nobody_overtake(void **state)
{
	struct ow_queue *q = dom_queue("ALIVE", 4, 0);
	struct ow_shmq *shmq = shm_of(q)->shmq;
	struct ow_place slow[3] = { 0 }, next = { 0 }, behind = { 0 };
	uint64_t now = 1;
	bool others;
	int i;

	for (i = 0; i < 3; i++)
		ow_line_join(shmq, &slow[i]);
	ow_line_join(shmq, &next);
	ow_line_join(shmq, &behind);
	for (i = 0; i < 4 && !ow_line_is_turn(shmq, &next, 1, &others); i++) {
		ow_line_pass_ghosts(shmq, &next, now);
		now += OW_NS_PER_SEC;
	}
	assert_true(ow_line_is_turn(shmq, &next, 1, &others));
	ow_line_leave(shmq, &next); /* it has sent */
	assert_int_equal(waiting(q), 1);
	assert_true(ow_line_is_turn(shmq, &behind, 1, &others));
	for (i = 0; i < 3; i++)
		ow_line_leave(shmq, &slow[i]);
	/* One still waits: a newcomer stands behind it. */
	assert_int_equal(waiting(q), 1);
	assert_false(ow_line_is_turn(shmq, NULL, 1, &others));
	assert_true(ow_line_is_turn(shmq, &behind, 1, &others));
	ow_line_leave(shmq, &behind);
	assert_int_equal(waiting(q), 0);
	ow_queue_close(q);
}

/* ---- a crowd ---- */

struct crowd {
	_Atomic uint32_t stop;
	_Atomic uint32_t sent[SENDERS];
	_Atomic uint64_t longest[SENDERS];
};

struct caller {
	struct crowd *crowd;
	struct ow_queue *q;
	uint32_t nr;
	pthread_t thread;
};

static void *send_many(void *arg)
{
	struct caller *c = arg;
	uint64_t t0, took;

	while (!atomic_load(&c->crowd->stop)) {
		t0 = ow_clock_mono_ns();
		if (send_id(c->q, c->nr, 50, t0 + OW_NS_PER_SEC) != 0) {
			ow_queue_give_up(c->q);
			continue;
		}
		took = ow_clock_mono_ns() - t0;
		if (took > atomic_load(&c->crowd->longest[c->nr]))
			atomic_store(&c->crowd->longest[c->nr], took);
		atomic_fetch_add(&c->crowd->sent[c->nr], 1);
	}
	return NULL;
}

/* A queue of four and a server that takes 2 ms: every sender waits for all the
 * others. Without order some send ten times as often as others. */
static void of_a_crowd_each_sends_as_often_as_the_others(void **state)
{
	struct ow_queue *q = dom_queue("CROWD", 4, 0);
	struct timespec service = { .tv_nsec = 2000000 };
	struct crowd crowd = { 0 };
	struct caller c[SENDERS];
	uint32_t i, taken = 0, total = 0, least = UINT32_MAX, most = 0;
	uint64_t t0 = ow_clock_mono_ns();

	for (i = 0; i < SENDERS; i++) {
		c[i] = (struct caller){ .crowd = &crowd, .nr = i,
					.q = open_queue("CROWD") };
		pthread_create(&c[i].thread, NULL, send_many, &c[i]);
	}
	while (taken < SENDERS * 40 &&
	       ow_clock_mono_ns() - t0 < 60 * OW_NS_PER_SEC) {
		taken += recv_id(q, OW_DEADLINE_NOW) >= 0;
		nanosleep(&service, NULL);
	}
	atomic_store(&crowd.stop, 1);
	for (i = 0; i < SENDERS; i++) {
		while (recv_id(q, OW_DEADLINE_NOW) >= 0)
			;
		pthread_join(c[i].thread, NULL);
		ow_queue_close(c[i].q);
		total += crowd.sent[i];
		least = crowd.sent[i] < least ? crowd.sent[i] : least;
		most = crowd.sent[i] > most ? crowd.sent[i] : most;
	}
	print_message("%u sent; one sender %u to %u\n", total, least, most);
	assert_true(taken == SENDERS * 40);
	assert_in_range(least * SENDERS * 2, total, UINT32_MAX);
	assert_in_range(most * SENDERS, 1, total * 2);
	while (recv_id(q, OW_DEADLINE_NOW) >= 0)
		;
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_longest_is_first),
		cmocka_unit_test(a_newcomer_takes_no_place_of_one_who_waits),
		cmocka_unit_test(who_gives_up_lets_others_move_up),
		cmocka_unit_test(ghosts_delay_the_line_for_a_moment),
		cmocka_unit_test(who_was_taken_for_dead_lets_nobody_overtake),
		cmocka_unit_test(of_a_crowd_each_sends_as_often_as_the_others),
	};

	if (shmq_make() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
