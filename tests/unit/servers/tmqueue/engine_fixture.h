/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_fixture.h - an engine of tmqueue whose callers are this process
 *
 * The engine is held after a batch, so that the jobs that are put meanwhile are
 * one batch.
 */
#ifndef OW_TEST_ENGINE_FIXTURE_H
#define OW_TEST_ENGINE_FIXTURE_H

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
#include "tests/unit/servers/folder.h"

#ifndef KEEP_NS
#define KEEP_NS (180 * OW_NS_PER_SEC)
#endif
#ifndef KEEP_OTHER_NS
#define KEEP_OTHER_NS KEEP_NS
#endif
#define MOST 32
#define CANCELS 24 /* the answer to a CANCEL of `token`: behind that */
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

static inline bool is_there(const struct job *j, bool surely)
{
	return true;
}

static inline bool answer(struct job *j)
{
	struct result *r = &t.results[
	    (j->head.token + (j->head.op == OW_MQ_CANCEL ? CANCELS : 0)) %
	    MOST];

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

static inline void committed(struct space *sp)
{
	pthread_mutex_lock(&t.lock);
	while (t.hold) {
		t.held = true;
		pthread_cond_broadcast(&t.changed);
		pthread_cond_wait(&t.changed, &t.lock);
	}
	t.held = false;
	pthread_cond_broadcast(&t.changed);
	pthread_mutex_unlock(&t.lock);
}

static const struct engine_ports ports = { .is_there = is_there,
					   .answer = answer,
					   .committed = committed };

/* ---- jobs ---- */

static inline struct ow_mq_xid xid(int n)
{
	struct ow_mq_xid x = { .format = 1, .gtrid = 1, .bqual = 1,
			       .data = { 'g', (uint8_t)n } };

	return x;
}

static inline struct job *request(int token, enum ow_mq_op op)
{
	struct job *j = job_new(JOB_REQUEST, 4u << 20);

	assert_non_null(j);
	j->head.op = (uint16_t)op;
	j->head.token = (uint64_t)token;
	strcpy(j->head.queue, "Q");
	return j;
}

/* `n`: number of the branch; 0: none. */
static inline void enqueue(int token, int n, const char *text)
{
	struct job *j = request(token, OW_MQ_ENQUEUE);

	j->head.type = 3;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	if (n != 0)
		j->xid = xid(n);
	engine_put(t.engine, j);
}

static inline void dequeue(int token, int n, long flags)
{
	struct job *j = request(token, OW_MQ_DEQUEUE);

	j->head.ctl.flags = flags;
	if (n != 0)
		j->xid = xid(n);
	engine_put(t.engine, j);
}

/* Of `token`, which is less than MOST - CANCELS. */
static inline void cancel(int token)
{
	engine_put(t.engine, request(token, OW_MQ_CANCEL));
}

static inline void branch(int token, enum ow_mq_op op, int n, uint32_t flags)
{
	struct job *j = request(token, op);

	j->head.flags = flags;
	j->head.xid = xid(n);
	engine_put(t.engine, j);
}

static inline void give_up(int n)
{
	struct job *j = job_new(JOB_ABANDONED, 0);

	assert_non_null(j);
	j->head.xid = xid(n);
	engine_put(t.engine, j);
}

static inline void begin(int n)
{
	struct ow_mq_xid x = xid(n);

	assert_int_equal(known_add(&t.sp.known, &x), 0);
}

/* ---- batches ---- */

static inline struct timespec in_seconds(int n)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += n;
	return ts;
}

static inline const struct result *wait_for(int token)
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

static inline bool is_answered(int token)
{
	bool is;

	pthread_mutex_lock(&t.lock);
	is = t.results[token].there;
	pthread_mutex_unlock(&t.lock);
	return is;
}

/* What is put from now on is one batch. */
static inline void gather(void)
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

static inline void let_go(void)
{
	pthread_mutex_lock(&t.lock);
	t.hold = false;
	pthread_cond_broadcast(&t.changed);
	pthread_mutex_unlock(&t.lock);
}

/* What the branch was told. */
static inline int xa(int token)
{
	const struct result *r = wait_for(token);

	assert_int_equal(r->a.tperr, 0);
	return (int)r->a.count - OW_MQ_XA_BASE;
}

static inline void assert_aborted(int token)
{
	const struct result *r = wait_for(token);

	assert_int_equal(r->a.tperr, TPEDIAGNOSTIC);
	assert_int_equal(r->a.diagnostic, QMEABORTED);
}

/* The CANCEL of `token` has found one that waited. */
static inline bool is_cancelled(int token)
{
	return wait_for(token + CANCELS)->a.count == 1;
}

static inline void assert_nothing(int token)
{
	const struct result *r = wait_for(token);

	assert_int_equal(r->a.tperr, TPEDIAGNOSTIC);
	assert_int_equal(r->a.diagnostic, QMENOMSG);
}

/* The queue has this, and nothing else; NULL: nothing. */
static inline void assert_queue(int token, const char *text)
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

static inline uint64_t locked(void)
{
	uint64_t n = 0;

	gather(); /* the engine is not at work */
	n = queues_find(&t.sp.queues, "Q", false)->now.locked;
	let_go();
	return n;
}

/* ---- the engine ---- */

/* What the folder has, and the queue "Q". */
static inline void open_engine(void)
{
	char why[256] = "";
	struct space *sp = &t.sp;

	memset(sp, 0, sizeof(*sp));
	memset(t.results, 0, sizeof(t.results));
	t.hold = t.held = false;
	t.undelivered = -1;
	strcpy(sp->name, "S");
	known_init(&sp->known, KEEP_NS, KEEP_OTHER_NS);
	assert_int_equal(store_open(&sp->store, t.folder, "S", why,
				    sizeof(why)), 0);
	assert_int_equal(store_begin(&sp->store, 0, true), 0);
	assert_int_equal(queues_load(&sp->queues, &sp->store), 0);
	store_abort(&sp->store);
	assert_int_equal(conf_define(&sp->queues, "Q", why, sizeof(why)), 0);
	assert_int_equal(engine_start(&t.engine, sp, &ports), 0);
}

static inline void close_engine(void)
{
	let_go();
	t.engine = engine_stop(t.engine);
	store_close(&t.sp.store);
	queues_free(&t.sp.queues);
	known_free(&t.sp.known);
}

static inline int setup(void **state)
{
	folder_make(t.folder, "/tmp/ow_tmqueue");
	setenv("NDRX_ULOG", t.folder, 1);
	open_engine();
	return 0;
}

static inline int teardown(void **state)
{
	close_engine();
	return folder_remove(t.folder);
}

/* Branch 1 has enqueued "a". */
static inline void work_in_1(void)
{
	begin(1);
	enqueue(0, 1, "a");
	assert_int_equal(wait_for(0)->a.tperr, 0);
}

/* Each fact has an engine of its own. */
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
