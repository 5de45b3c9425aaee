/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_standby_shm.c - a server that is needless leaves a message to others,
 * and looks again
 */
#include "tests/unit/libatmi/messages.h"

#include <pthread.h>
#include <signal.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/shm/pending.h"
#include "libatmi/transport/shm/standby.h"
#include "tests/unit/libatmi/transport/standing_by.h"

#define SRVID 3
#define TAG   7

static const char *dies_at = "";

void ow_fault_hit(const char *name)
{
	if (strcmp(name, dies_at) == 0)
		raise(SIGKILL);
}

/* A server that waits for a queue; `sender` is the queue object of others. */
struct scene {
	struct ow_queue *q, *sender;
	struct ow_waitset *w;
	struct ow_svc *s;
	struct shmq_head *h;
	struct shm_standby by; /* of a server without a wait set */
	pthread_t thread;
};

static struct scene begin(const char *service)
{
	struct scene c = { 0 };
	int svc;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, service);
	c.s = &dom->tables->svc[svc];
	c.q = dom_queue(service, 8, 256);
	c.sender = dom_queue(service, 8, 256);
	assert_int_equal(ow_waitset_open(dom, SRVID, &c.w), 0);
	assert_int_equal(ow_waitset_add_queue(c.w, c.q, TAG), 0);
	ow_tables_unlock(dom->tables);
	assert_ptr_equal(shm_of(c.q)->svc, c.s);
	assert_int_equal(ow_waitset_tick(c.w, 300 * OW_NS_PER_MS), 0);
	c.h = shm_of(c.q)->shmq->head;
	ow_standby_init(&c.by.measured, dom);
	computes(c.s);
	return c;
}

static void end(struct scene *c)
{
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	assert_int_equal(ow_waitset_del_queue(c->w, c->q), 0);
	ow_tables_unlock(dom->tables);
	ow_waitset_close(c->w);
	ow_queue_close(c->sender);
	ow_queue_close(c->q);
}

static uint64_t word(const struct scene *c)
{
	return atomic_load(&c->h->pending_wake);
}

static bool one_stands_by(const struct scene *c)
{
	return ow_pending_is_of(word(c), OW_SHMQ_STANDBY);
}

static void post(struct scene *c)
{
	assert_int_equal(send_bytes(c->sender, "m", 1, 5, OW_DEADLINE_NOW), 0);
}

/* The server was woken `ms` ago. */
static void was_woken(struct scene *c, uint64_t ms)
{
	atomic_store(&c->h->pending_wake,
		     ow_pending_make(shm_of(c->q)->rank,
				     ow_clock_mono_ns() - ms * OW_NS_PER_MS));
}

static void one_stood_by(struct scene *c, uint64_t ms)
{
	atomic_store(&c->h->pending_wake,
		     ow_pending_make(OW_SHMQ_STANDBY, ow_clock_mono_ns() -
							  ms * OW_NS_PER_MS));
}

/* ---- in the wait set ---- */

static bool sleeps(void)
{
	return atomic_load(&dom->tables->srv[SRVID].wake_word) == OW_WORD_IDLE;
}

static void *send_when_it_sleeps(void *arg)
{
	WAIT_FOR(sleeps());
	nap_ms(2);
	post(arg);
	return NULL;
}

static void *and_nobody_serves(void *arg)
{
	struct scene *c = arg;

	send_when_it_sleeps(c);
	WAIT_FOR(one_stands_by(c));
	stands_still(c->s);
	return NULL;
}

/* False: it ticks, and has received nothing. */
static bool comes(struct scene *c, void *(*meanwhile)(void *))
{
	uint32_t tag = 0;

	pthread_create(&c->thread, NULL, meanwhile, c);
	assert_int_equal(ow_waitset_wait(c->w, true, &tag, NULL), 0);
	pthread_join(c->thread, NULL);
	assert_true(tag == TAG || tag == OW_WAITSET_TICK);
	return tag == TAG;
}

static void a_needless_server_leaves_the_message_to_those_that_work(
    void **state)
{
	struct scene c = begin("LEAVES");

	assert_false(comes(&c, send_when_it_sleeps));
	assert_true(one_stands_by(&c));
	assert_true(ow_shmq_has_message(shm_of(c.q)->shmq));
	post(&c);
	assert_true(one_stands_by(&c)); /* nobody is woken */
	end(&c);
}

static void it_serves_when_nobody_else_does(void **state)
{
	struct scene c = begin("STILL");

	assert_true(comes(&c, and_nobody_serves));
	assert_int_equal(recv_msg(c.q, NULL, OW_DEADLINE_NOW), 0);
	assert_false(one_stands_by(&c));
	end(&c);
}

/* ---- step by step ---- */

static void a_server_that_finds_the_queue_empty_ends_it(void **state)
{
	struct scene c = begin("EMPTY");

	was_woken(&c, 1);
	assert_true(ow_shm_stands_by(&c.by, shm_of(c.q)));
	assert_true(one_stands_by(&c));
	ow_shm_was_empty(shm_of(c.q));
	assert_int_equal(word(&c), 0);
	end(&c);
}

static void a_server_on_its_way_serves_if_the_queue_was_empty(void **state)
{
	struct scene c = begin("WASEMPTY");

	was_woken(&c, 1);
	ow_shm_was_empty(shm_of(c.q));
	assert_false(ow_shm_stands_by(&c.by, shm_of(c.q)));
	assert_true(ow_pending_is_of(word(&c), shm_of(c.q)->rank));
	was_woken(&c, 2); /* for another message */
	assert_true(ow_shm_stands_by(&c.by, shm_of(c.q)));
	end(&c);
}

static void it_looks_again_after_its_time(void **state)
{
	struct scene c = begin("AGAIN");

	was_woken(&c, 1);
	assert_true(ow_shm_stands_by(&c.by, shm_of(c.q)));
	assert_null(ow_shm_standby_over(&c.by, 0)); /* not yet */
	post(&c);
	nap_ms(12);
	assert_null(ow_shm_standby_over(&c.by, 0)); /* others are enough */
	assert_true(one_stands_by(&c));
	assert_ptr_equal(c.by.by, shm_of(c.q));
	nap_ms(12);
	/* It was busy until now, and has its CPU at once. */
	assert_ptr_equal(ow_shm_standby_over(&c.by, ow_clock_mono_ns() +
							OW_NS_PER_SEC),
			 shm_of(c.q));
	assert_int_equal(word(&c), 0);
	end(&c);
}

static void it_sleeps_if_the_queue_is_empty(void **state)
{
	struct scene c = begin("GONE");

	was_woken(&c, 1);
	assert_true(ow_shm_stands_by(&c.by, shm_of(c.q)));
	nap_ms(12);
	assert_null(ow_shm_standby_over(&c.by, 0));
	assert_null(c.by.by);
	assert_int_equal(word(&c), 0);
	end(&c);
}

static void callers_nudge_only_when_it_is_late(void **state)
{
	struct scene c = begin("NUDGE");

	one_stood_by(&c, 5);
	post(&c);
	ow_queue_nudge_of_many(c.sender);
	assert_true(one_stands_by(&c));
	one_stood_by(&c, 25);
	assert_false(ow_shmq_wake_is_pending(shm_of(c.q)->shmq,
					     ow_clock_mono_ns()));
	end(&c);
}

static void who_gives_way_sleeps_while_one_stands_by(void **state)
{
	struct scene c = begin("WAY");

	c.by.held = shm_of(c.q);
	assert_false(ow_shm_gives_way(&c.by)); /* none stands by */
	one_stood_by(&c, 5);
	c.by.held = shm_of(c.q);
	assert_true(ow_shm_gives_way(&c.by));
	assert_null(c.by.by);
	assert_false(ow_shm_gives_way(&c.by)); /* once */
	one_stood_by(&c, 25); /* and is late: its place is taken */
	c.by.held = shm_of(c.q);
	assert_true(ow_shm_gives_way(&c.by));
	assert_ptr_equal(c.by.by, shm_of(c.q));
	end(&c);
}

static void a_death_leaves_a_wake_up_that_is_late(void **state)
{
	static const char *const steps[] = { "shmq.stands_by",
					     "shmq.emptied" };
	struct scene c;
	pid_t pid;
	int st, i;

	for (i = 0; i < 2; i++) {
		c = begin(steps[i] + 5);
		was_woken(&c, 1);
		pid = test_fork();
		if (pid == 0) {
			dies_at = steps[i];
			if (i == 0)
				ow_shm_stands_by(&c.by, shm_of(c.q));
			else
				ow_shm_was_empty(shm_of(c.q));
			_exit(1);
		}
		assert_int_equal(waitpid(pid, &st, 0), pid);
		assert_true(WIFSIGNALED(st));
		assert_true(word(&c) != 0);
		nap_ms(25);
		assert_false(ow_shmq_wake_is_pending(shm_of(c.q)->shmq,
						     ow_clock_mono_ns()));
		end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_needless_server_leaves_the_message_to_those_that_work),
		cmocka_unit_test(it_serves_when_nobody_else_does),
		cmocka_unit_test(a_server_that_finds_the_queue_empty_ends_it),
		cmocka_unit_test(
		    a_server_on_its_way_serves_if_the_queue_was_empty),
		cmocka_unit_test(it_looks_again_after_its_time),
		cmocka_unit_test(it_sleeps_if_the_queue_is_empty),
		cmocka_unit_test(callers_nudge_only_when_it_is_late),
		cmocka_unit_test(who_gives_way_sleeps_while_one_stands_by),
		cmocka_unit_test(a_death_leaves_a_wake_up_that_is_late),
	};

	setenv("NDRX_TRANSPORT", "shm", 1);
	dom_make();
	others_are_enough();
	assert_int_equal(ow_srv_take(dom->tables, SRVID, "t"), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
