/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine.c - what shares a batch: branches that end, work for them, those
 * who wait
 *
 * The engine is held after a batch, so that the jobs that are put meanwhile are
 * one batch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <xa.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/engine.h"
#include "libatmi/base/clock.h"

#define MOST 32
#define WAKE 1001 /* nobody wants the answer */

/* What job `token` was answered. */
struct result {
	bool there;
	struct ow_mq_answer a;
	char text[64];
	struct ow_mq_xid last; /* of RECOVER */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool hold, held;
	MDB_txn *reader;
	int undelivered; /* this answer; -1: none */
	struct result results[MOST];
	char folder[64];
	struct space sp;
	struct engine *engine;
} t = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER };

/* ---- ports ---- */

static bool is_there(const struct job *j, bool surely)
{
	return true;
}

static bool answer(struct job *j)
{
	struct result *r = &t.results[j->head.token % MOST];

	if (j->head.token == WAKE)
		return true;
	if (t.undelivered >= 0 && j->head.token == (uint64_t)t.undelivered)
		return false;

	pthread_mutex_lock(&t.lock);
	assert_false(r->there);
	r->there = true;
	r->a = j->answer;
	if (j->reply != NULL)
		snprintf(r->text, sizeof(r->text), "%.*s", (int)j->answer.len,
			 j->reply + sizeof(j->answer));
	if (j->head.op == OW_MQ_RECOVER && j->answer.count > 0)
		memcpy(&r->last,
		       j->reply + sizeof(j->answer) +
			   (j->answer.count - 1) * sizeof(r->last),
		       sizeof(r->last));
	pthread_cond_broadcast(&t.changed);
	pthread_mutex_unlock(&t.lock);
	return true;
}

static void committed(struct space *sp)
{
	pthread_mutex_lock(&t.lock);
	while (t.hold) {
		t.held = true;
		pthread_cond_broadcast(&t.changed);
		pthread_cond_wait(&t.changed, &t.lock);
	}
	t.held = false;
	pthread_mutex_unlock(&t.lock);
}

static const struct engine_ports ports = { .is_there = is_there,
					   .answer = answer,
					   .committed = committed };

/* ---- jobs ---- */

static struct ow_mq_xid xid(int n)
{
	struct ow_mq_xid x = { .format = 1, .gtrid = 1, .bqual = 1,
			       .data = { 'g', (uint8_t)n } };

	return x;
}

static struct job *request(int token, enum ow_mq_op op)
{
	struct job *j = job_new(JOB_REQUEST, 4u << 20);

	assert_non_null(j);
	j->head.op = (uint16_t)op;
	j->head.token = (uint64_t)token;
	strcpy(j->head.queue, "Q");
	return j;
}

/* `n`: number of the branch; 0: none. */
static void enqueue(int token, int n, const char *text)
{
	struct job *j = request(token, OW_MQ_ENQUEUE);

	j->head.type = 3;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	if (n != 0)
		j->xid = xid(n);
	engine_put(t.engine, j);
}

static void dequeue(int token, int n, long flags)
{
	struct job *j = request(token, OW_MQ_DEQUEUE);

	j->head.ctl.flags = flags;
	if (n != 0)
		j->xid = xid(n);
	engine_put(t.engine, j);
}

static void branch(int token, enum ow_mq_op op, int n, uint32_t flags)
{
	struct job *j = request(token, op);

	j->head.flags = flags;
	j->head.xid = xid(n);
	engine_put(t.engine, j);
}

static void give_up(int n)
{
	struct job *j = job_new(JOB_ABANDONED, 0);

	assert_non_null(j);
	j->head.xid = xid(n);
	engine_put(t.engine, j);
}

static void begin(int n)
{
	struct ow_mq_xid x = xid(n);

	assert_int_equal(known_add(&t.sp.known, &x), 0);
}

/* ---- batches ---- */

static struct timespec in_seconds(int n)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += n;
	return ts;
}

static const struct result *wait_for(int token)
{
	struct timespec until = in_seconds(20);
	int r = 0;

	pthread_mutex_lock(&t.lock);
	while (!t.results[token].there && r == 0)
		r = pthread_cond_timedwait(&t.changed, &t.lock, &until);
	pthread_mutex_unlock(&t.lock);
	assert_int_equal(r, 0);
	return &t.results[token];
}

static bool is_answered(int token)
{
	bool is;

	pthread_mutex_lock(&t.lock);
	is = t.results[token].there;
	pthread_mutex_unlock(&t.lock);
	return is;
}

/* What is put from now on is one batch. */
static void gather(void)
{
	struct timespec until = in_seconds(20);
	int r = 0;

	pthread_mutex_lock(&t.lock);
	t.hold = true;
	pthread_mutex_unlock(&t.lock);
	branch(WAKE, OW_MQ_BEGIN, 99, 0);
	pthread_mutex_lock(&t.lock);
	while (!t.held && r == 0)
		r = pthread_cond_timedwait(&t.changed, &t.lock, &until);
	pthread_mutex_unlock(&t.lock);
	assert_int_equal(r, 0);
}

static void let_go(void)
{
	pthread_mutex_lock(&t.lock);
	t.hold = false;
	pthread_cond_broadcast(&t.changed);
	pthread_mutex_unlock(&t.lock);
}

/* What the branch was told. */
static int xa(int token)
{
	const struct result *r = wait_for(token);

	assert_int_equal(r->a.tperr, 0);
	return (int)r->a.count - OW_MQ_XA_BASE;
}

static void assert_aborted(int token)
{
	const struct result *r = wait_for(token);

	assert_int_equal(r->a.tperr, TPEDIAGNOSTIC);
	assert_int_equal(r->a.diagnostic, QMEABORTED);
}

/* The queue has this, and nothing else; NULL: nothing. */
static void assert_queue(int token, const char *text)
{
	const struct result *r;

	dequeue(token, 0, 0);
	r = wait_for(token);
	assert_int_equal(r->a.tperr, text == NULL ? TPEDIAGNOSTIC : 0);
	if (text == NULL)
		return;
	assert_string_equal(r->text, text);
	assert_queue(token + 1, NULL);
}

static uint64_t locked(void)
{
	uint64_t n = 0;

	gather(); /* the engine is not at work */
	n = queues_find(&t.sp.queues, "Q", false)->now.locked;
	let_go();
	return n;
}

/* ---- the engine ---- */

static int setup(void **state)
{
	char why[256] = "";
	struct space *sp = &t.sp;

	memset(sp, 0, sizeof(*sp));
	memset(t.results, 0, sizeof(t.results));
	t.hold = t.held = false;
	t.undelivered = -1;
	strcpy(sp->name, "S");
	known_init(&sp->known);
	sp->branch_ns = 180 * OW_NS_PER_SEC;
	strcpy(t.folder, "/tmp/ow_tmqueue_XXXXXX");
	assert_non_null(mkdtemp(t.folder));
	setenv("NDRX_ULOG", t.folder, 1);
	assert_int_equal(store_open(&sp->store, t.folder, "S", why,
				    sizeof(why)), 0);
	assert_int_equal(conf_define(&sp->queues, "Q", why, sizeof(why)), 0);
	assert_int_equal(engine_start(&t.engine, sp, &ports), 0);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	let_go();
	t.engine = engine_stop(t.engine);
	store_close(&t.sp.store);
	queues_free(&t.sp.queues);
	known_free(&t.sp.known);
	snprintf(command, sizeof(command), "rm -r %s", t.folder);
	assert_int_equal(system(command), 0);
	return 0;
}

/* Branch 1 has enqueued "a". */
static void work_in_1(void)
{
	begin(1);
	enqueue(0, 1, "a");
	assert_int_equal(wait_for(0)->a.tperr, 0);
}

/* ---- tests ---- */

static void prepare_behind_a_rollback_is_told_that_there_is_none(void **state)
{
	work_in_1();
	gather();
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	branch(2, OW_MQ_PREPARE, 1, 0);
	branch(3, OW_MQ_COMMIT, 1, TMONEPHASE);
	branch(4, OW_MQ_ROLLBACK, 1, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(xa(2), XAER_NOTA);
	assert_int_equal(xa(3), XAER_NOTA);
	assert_int_equal(xa(4), XAER_NOTA);
	assert_queue(5, NULL);
}

static void prepare_behind_giving_up_is_told_that_there_is_none(void **state)
{
	work_in_1();
	gather();
	give_up(1);
	branch(1, OW_MQ_PREPARE, 1, 0);
	let_go();
	assert_int_equal(xa(1), XAER_NOTA);
	assert_queue(2, NULL);
}

static void one_phase_commit_behind_giving_up_is_told_so_too(void **state)
{
	work_in_1();
	gather();
	give_up(1);
	branch(1, OW_MQ_COMMIT, 1, TMONEPHASE);
	let_go();
	assert_int_equal(xa(1), XAER_NOTA);
	assert_queue(2, NULL);
}

static void giving_up_behind_prepare_changes_nothing(void **state)
{
	work_in_1();
	gather();
	branch(1, OW_MQ_PREPARE, 1, 0);
	give_up(1);
	branch(2, OW_MQ_COMMIT, 1, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(xa(2), XA_OK);
	assert_queue(3, "a");
}

static void work_behind_an_end_is_refused(void **state)
{
	work_in_1();
	begin(2);
	gather();
	branch(1, OW_MQ_PREPARE, 1, 0);
	enqueue(2, 1, "late");
	branch(3, OW_MQ_ROLLBACK, 2, 0);
	enqueue(4, 2, "late");
	dequeue(5, 2, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_aborted(2);
	assert_int_equal(xa(3), XA_OK);
	assert_aborted(4);
	assert_aborted(5);
	branch(6, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(6), XA_OK);
	assert_queue(7, "a");
	assert_int_equal(locked(), 0);
}

static void begin_of_a_branch_that_ends_is_refused(void **state)
{
	struct ow_mq_xid x = xid(1);

	work_in_1();
	assert_true(known_leave(&t.sp.known, &x));
	assert_false(known_leave(&t.sp.known, &x));
	assert_false(known_has(&t.sp.known, &x));
	assert_int_not_equal(known_add(&t.sp.known, &x), 0);
	known_settle(&t.sp.known, false);
	assert_true(known_has(&t.sp.known, &x));
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(known_add(&t.sp.known, &x), 0);
}

static void commit_that_was_not_prepared_is_a_protocol_error(void **state)
{
	work_in_1();
	branch(1, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(1), XAER_PROTO);
	branch(2, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(2), XA_OK);
	branch(3, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(3), XAER_PROTO);
	branch(4, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(4), XA_OK);
	branch(5, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(5), XAER_NOTA);
	assert_queue(6, "a");
}

static void branch_without_work_reads_only(void **state)
{
	begin(1);
	begin(2);
	branch(1, OW_MQ_PREPARE, 1, 0);
	branch(2, OW_MQ_COMMIT, 2, TMONEPHASE);
	assert_int_equal(xa(1), XA_RDONLY);
	assert_int_equal(xa(2), XA_OK);
	branch(3, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(3), XAER_NOTA);
}

static void message_beside_the_rollback_of_a_waiter_stays(void **state)
{
	begin(1);
	dequeue(0, 1, TPQWAIT);
	gather();
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	enqueue(2, 0, "money");
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_aborted(0);
	assert_queue(3, "money");
	assert_int_equal(locked(), 0);
}

static void waiter_of_a_branch_that_ends_is_told_at_once(void **state)
{
	begin(1);
	begin(2);
	dequeue(0, 1, TPQWAIT);
	dequeue(1, 2, TPQWAIT);
	gather();
	dequeue(2, 1, TPQWAIT); /* in the batch of the end */
	branch(3, OW_MQ_ROLLBACK, 1, 0);
	let_go();
	assert_aborted(0);
	assert_aborted(2);
	assert_false(is_answered(1));
	enqueue(4, 0, "a");
	assert_string_equal(wait_for(1)->text, "a");
	branch(5, OW_MQ_ROLLBACK, 2, 0);
	assert_int_equal(xa(5), XA_OK);
	assert_queue(6, "a");
}

/* A file that may not grow is a full disk: the batch is undone, and its jobs are
 * executed one by one. */
static void branch_is_back_when_its_batch_is_undone(void **state)
{
	static char big[(4u << 20) - 1];
	struct rlimit was, now;
	int i;

	memset(big, 'x', sizeof(big) - 1);
	work_in_1();
	begin(2);
	enqueue(1, 2, "b");
	assert_int_equal(wait_for(1)->a.tperr, 0);
	signal(SIGXFSZ, SIG_IGN);
	gather();
	branch(2, OW_MQ_PREPARE, 1, 0);
	branch(3, OW_MQ_ROLLBACK, 2, 0);
	for (i = 4; i < 16; i++)
		enqueue(i, 0, big);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	now = was;
	now.rlim_cur = t.sp.store.allocated;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	let_go();
	assert_int_equal(xa(2), XA_OK);
	assert_int_equal(xa(3), XA_OK);
	assert_int_equal(wait_for(15)->a.diagnostic, QMENOSPACE);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	branch(16, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(16), XA_OK);
	assert_int_equal(locked(), 0);
}

/* RECOVER lists those behind the one that is named. */
static void prepared_branches_are_listed_however_many(void **state)
{
	const struct result *r;
	struct ow_mq_xid x;
	struct job *j;
	int i, n = 0;

	for (i = 1; i <= 201; i++) {
		x = xid(i);
		x.data[0] = (uint8_t)(i / 256 + 1);
		assert_int_equal(known_add(&t.sp.known, &x), 0);
		j = request(0, OW_MQ_ENQUEUE);
		j->xid = x;
		t.results[0].there = false;
		engine_put(t.engine, j);
		assert_int_equal(wait_for(0)->a.tperr, 0);
		j = request(1, OW_MQ_PREPARE);
		j->head.xid = x;
		t.results[1].there = false;
		engine_put(t.engine, j);
		assert_int_equal(xa(1), XA_OK);
	}
	memset(&x, 0, sizeof(x));
	for (i = 2; i < 5; i++) {
		j = request(i, OW_MQ_RECOVER);
		j->head.xid = x;
		engine_put(t.engine, j);
		r = wait_for(i);
		n += (int)r->a.count;
		if (r->a.count > 0)
			x = r->last;
	}
	assert_int_equal(t.results[2].a.count, 200);
	assert_int_equal(t.results[3].a.count, 1);
	assert_int_equal(n, 201);
}

static void branch_is_not_given_up_when_its_prepare_has_come(void **state)
{
	struct timespec pause = { .tv_sec = 2, .tv_nsec = 500000000 };

	t.sp.branch_ns = 2 * OW_NS_PER_SEC;
	begin(1);
	begin(2);
	enqueue(0, 1, "a");
	enqueue(1, 2, "b");
	gather();
	branch(2, OW_MQ_PREPARE, 1, 0);
	nanosleep(&pause, NULL);
	let_go();
	assert_int_equal(xa(2), XA_OK);
	branch(3, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(3), XA_OK);
	while (known_has(&t.sp.known, &(struct ow_mq_xid){
		.format = 1, .gtrid = 1, .bqual = 1, .data = { 'g', 2 } }))
		nanosleep(&pause, NULL);
	assert_queue(4, "a");
	assert_int_equal(locked(), 0);
}

static uint64_t used_bytes(void)
{
	MDB_envinfo info;

	mdb_env_info(t.sp.store.env, &info);
	return (info.me_last_pgno + 1) * 4096;
}

/* `big` is given to a caller who is not there, while the disk has only what is
 * kept for removals. */
static void lose_caller_on_a_full_disk(const char *big)
{
	enqueue(0, 0, big);
	assert_int_equal(wait_for(0)->a.tperr, 0);
	gather();
	/* A reader keeps the pages that the message leaves. */
	assert_int_equal(mdb_txn_begin(t.sp.store.env, NULL, MDB_RDONLY,
				       &t.reader), 0);
	assert_int_equal(store_checkpoint(&t.sp.store), 0);
	dequeue(1, 0, 0);
	t.undelivered = 1;
	t.sp.store.full = true;
	t.sp.store.retry_ns = UINT64_MAX;
	t.sp.store.allocated = used_bytes() + (UINT64_C(2) << 20);
	let_go();
}

static bool is_held(void)
{
	bool held;

	pthread_mutex_lock(&t.lock);
	held = t.held;
	pthread_mutex_unlock(&t.lock);
	return held;
}

static void message_that_comes_back_later_is_whole(void **state)
{
	static char big[(4u << 20) - 1];
	const struct result *r;
	int n = 2, i;

	memset(big, 'x', sizeof(big) - 1);
	lose_caller_on_a_full_disk(big);
	for (i = 0; i < 2; i++) { /* it was tried, and found no room */
		while (is_held())
			usleep(1000);
		gather();
		if (i == 0)
			let_go();
	}
	mdb_txn_abort(t.reader);
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	t.undelivered = -1;
	let_go();
	enqueue(2, 0, "next");
	assert_int_equal(wait_for(2)->a.tperr, 0);
	do { /* a second between two tries */
		usleep(500000);
		dequeue(++n, 0, TPQPEEK);
		r = wait_for(n);
	} while (r->a.len != sizeof(big) - 1 && n < 14);
	assert_int_equal(r->a.len, sizeof(big) - 1);
	assert_memory_equal(r->text, big, sizeof(r->text) - 1);
	dequeue(++n, 0, 0);
	assert_int_equal(wait_for(n)->a.tperr, 0);
	assert_queue(n + 1, "next");
}

static void message_that_comes_back_at_the_end_finds_room_on_a_full_disk(
	void **state)
{
	lose_caller_on_a_full_disk("a");
	t.engine = engine_stop(t.engine);
	mdb_txn_abort(t.reader);
	t.undelivered = -1;
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	assert_int_equal(engine_start(&t.engine, &t.sp, &ports), 0);
	assert_queue(2, "a");
}

static void message_that_cannot_come_back_is_named(void **state)
{
	static char big[(4u << 20) - 1];
	char command[200];

	memset(big, 'x', sizeof(big) - 1);
	lose_caller_on_a_full_disk(big);
	t.engine = engine_stop(t.engine);
	mdb_txn_abort(t.reader);
	snprintf(command, sizeof(command),
		 "grep -q 'bytes is lost' %s/ULOG*", t.folder);
	assert_int_equal(system(command), 0);
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	assert_int_equal(engine_start(&t.engine, &t.sp, &ports), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(prepare_behind_a_rollback_is_told_that_there_is_none),
		T(prepare_behind_giving_up_is_told_that_there_is_none),
		T(one_phase_commit_behind_giving_up_is_told_so_too),
		T(giving_up_behind_prepare_changes_nothing),
		T(work_behind_an_end_is_refused),
		T(begin_of_a_branch_that_ends_is_refused),
		T(commit_that_was_not_prepared_is_a_protocol_error),
		T(branch_without_work_reads_only),
		T(message_beside_the_rollback_of_a_waiter_stays),
		T(waiter_of_a_branch_that_ends_is_told_at_once),
		T(branch_is_back_when_its_batch_is_undone),
		T(prepared_branches_are_listed_however_many),
		T(branch_is_not_given_up_when_its_prepare_has_come),
		T(message_that_comes_back_later_is_whole),
		T(message_that_comes_back_at_the_end_finds_room_on_a_full_disk),
		T(message_that_cannot_come_back_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
