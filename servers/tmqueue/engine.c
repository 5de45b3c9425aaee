/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - the thread that works on the data base
 */
#include "servers/tmqueue/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <userlog.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/execute.h"
#include "servers/tmqueue/snapshot.h"
#include "servers/tmqueue/waiters.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/log/log.h"

#define BATCH_JOBS  1000
#define BATCH_BYTES (UINT64_C(64) << 20)
#define UNDER_WAY   (UINT64_C(128) << 20) /* bytes of jobs not yet executed */
#define DUE_AT_ONCE 2000
#define RETRY_NS    OW_NS_PER_SEC
#define STOP_PAUSE_NS 50000000L
#define STOP_NS	    (3 * OW_NS_PER_SEC) /* an end waits so long for room */
#define LOOK_NS	    (5 * OW_NS_PER_SEC) /* at those who wait */
#define CLOCK_NS    OW_NS_PER_SEC

struct engine {
	struct space *sp;
	struct engine_ports ports;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t come, room;
	struct job *first, *last; /* lock */
	uint64_t bytes;		  /* of them; lock */
	bool stop;		  /* lock */
	/* of the thread */
	struct job *later;	/* could not be committed: once more */
	uint64_t later_ns;
	uint64_t told_ns;	/* when ULOG may say so again */
	uint64_t due_ns;	/* wall clock: the next thing; 0: none */
	uint64_t look_ns;	/* at those who wait; 0: nobody waits */
	struct job *back;	/* messages that come back */
	bool again; /* a request waits that has not seen the last messages */
};

/* A part of the jobs that have come: one transaction. */
struct batch {
	struct job *first;
	uint64_t bytes; /* about what it adds */
	bool removes, alone;
};

/* ---- handed over ---- */

static uint64_t bytes_of(const struct job *j)
{
	return sizeof(*j) + j->head.len;
}

void engine_put(struct engine *e, struct job *j)
{
	pthread_mutex_lock(&e->lock);
	while (e->bytes > UNDER_WAY && !e->stop)
		pthread_cond_wait(&e->room, &e->lock);
	j->next = NULL;
	if (e->first == NULL)
		e->first = j;
	else
		e->last->next = j;
	e->last = j;
	e->bytes += bytes_of(j);
	pthread_cond_signal(&e->come);
	pthread_mutex_unlock(&e->lock);
}

/* The earliest time at which there is something to do; 0: none. Monotonic. */
static uint64_t next_time(const struct engine *e)
{
	uint64_t now = ow_clock_mono_ns(), wall = ow_clock_real_ns(), at = 0;
	uint64_t snapshot = snapshot_next(e->sp->snapshot);
	uint64_t resume = queues_resume(&e->sp->queues);

	if (e->back != NULL || e->again)
		return now;
	if (e->due_ns != 0) {
		at = e->due_ns > wall ? now + (e->due_ns - wall) : now;
		if (at > now + CLOCK_NS) /* somebody may set the clock */
			at = now + CLOCK_NS;
	}
	if (e->later != NULL && (at == 0 || e->later_ns < at))
		at = e->later_ns;
	if (e->look_ns != 0 && (at == 0 || e->look_ns < at))
		at = e->look_ns;
	if (resume != 0 && (at == 0 || resume < at))
		at = resume;
	if (snapshot != 0 && (at == 0 || snapshot < at))
		at = snapshot;
	return at;
}

/* Wait for jobs, or a time: all jobs that have come; NULL: none. */
static struct job *take_all(struct engine *e, bool *ret_stop)
{
	uint64_t until = next_time(e);
	struct timespec ts = { .tv_sec = (time_t)(until / OW_NS_PER_SEC),
			       .tv_nsec = (long)(until % OW_NS_PER_SEC) };
	struct job *j;
	int r = 0;

	pthread_mutex_lock(&e->lock);
	while (e->first == NULL && !e->stop && r == 0)
		r = until == 0 ? pthread_cond_wait(&e->come, &e->lock)
			       : pthread_cond_timedwait(&e->come, &e->lock,
							&ts);
	j = e->first;
	e->first = e->last = NULL;
	e->bytes = 0;
	*ret_stop = e->stop;
	pthread_cond_broadcast(&e->room);
	pthread_mutex_unlock(&e->lock);
	return j;
}

/* ---- a batch ---- */

/* Cut off the beginning of a list that makes one batch. */
static struct batch cut(struct job **list)
{
	struct batch b = { .first = *list, .removes = true };
	struct job *j = *list, *last = NULL;
	int n = 0;

	while (j != NULL && n < BATCH_JOBS && b.bytes < BATCH_BYTES) {
		b.bytes += execute_adds(j);
		b.removes = b.removes && execute_removes(j);
		n++;
		last = j;
		j = j->next;
	}
	if (last != NULL)
		last->next = NULL;
	*list = j;
	return b;
}

/* What was found out about the job does not hold. What comes back is all that
 * there is of its message. */
static void reset(struct job *j)
{
	if (j->kind == JOB_RESTORE)
		return;
	if (j->reply != NULL)
		tpfree(j->reply);
	j->reply = NULL;
	j->waits = false;
	j->taken.number = 0;
	memset(&j->answer, 0, sizeof(j->answer));
	j->answer.magic = OW_MQ_ANSWER;
}

/* Messages leave a queue only for callers that are there. */
static bool is_there(struct engine *e, struct job *j)
{
	if (j->kind != JOB_REQUEST || j->head.op != OW_MQ_DEQUEUE)
		return true;
	return e->ports.is_there(j, false);
}

static int execute_all(struct engine *e, struct batch *b)
{
	struct space *sp = e->sp;
	struct job *j;
	int r;

	r = message_due(&sp->store, &sp->queues, ow_clock_real_ns(),
			DUE_AT_ONCE);
	for (j = b->first; j != NULL && r == 0; j = j->next) {
		if (j->kind == JOB_REQUEST && j->head.op == OW_MQ_CANCEL)
			waiters_cancel(&sp->queues, b->first, j);
		else if (is_there(e, j))
			r = execute(sp, j);
		else
			job_fail(j, TPESVCERR, QMESYSTEM, "the caller is gone");
	}
	if (r == 0)
		r = waiters_serve(sp, &e->ports);
	if (r == 0)
		r = queues_write(&sp->queues, &sp->store);
	return r != 0 ? r : message_next_due(&sp->store, &e->due_ns);
}

/* A commit has failed, and not for want of room: nobody knows what is on disk.
 * The next life reads it. */
static _Noreturn void give_up(struct engine *e, int r)
{
	userlog((char *)"tmqueue: space %s: commit: %s: the server ends, to "
		"read what is on disk", e->sp->name, strerror(-r));
	_exit(EXIT_FAILURE);
}

/* Execute and commit: 0; FULL or -errno, nothing has happened. */
static int commit(struct engine *e, struct batch *b)
{
	struct store *s = &e->sp->store;
	uint64_t last = s->last, last_branch = s->last_branch;
	struct job *j;
	int r = store_begin(s, b->bytes, b->removes && b->alone);

	e->again = false;
	if (r == 0)
		r = execute_all(e, b);
	if (r == 0) {
		r = store_commit(s);
		if (r < 0)
			give_up(e, r);
	}
	if (store_is_broken(s))
		give_up(e, r);
	store_abort(s);
	known_settle(&e->sp->known, r == 0);
	if (r == 0) {
		queues_keep(&e->sp->queues);
		return 0;
	}
	s->last = last;
	s->last_branch = last_branch;
	queues_undo(&e->sp->queues);
	waiters_undo(&e->sp->queues, reset);
	for (j = b->first; j != NULL; j = j->next)
		reset(j);
	return r;
}

/* ---- answers ---- */

/* The answer did not reach its caller: the message that it carried goes back
 * into its queue. */
static void bring_back(struct engine *e, struct job *j)
{
	if (j->taken.number == 0 || !xid_is_none(&j->xid) ||
	    (j->head.ctl.flags & TPQPEEK)) {
		job_free(j);
		return;
	}
	j->kind = JOB_RESTORE;
	j->head.len = j->taken.head.len;
	j->next = e->back;
	e->back = j;
}

static void answer(struct engine *e, struct job *j)
{
	if (j->kind == JOB_FORWARDED)
		forwarded_unlock(j);
	if (j->kind == JOB_REQUEST && !e->ports.answer(j))
		bring_back(e, j);
	else
		job_free(j);
}

/* A batch is on disk. */
static void answer_all(struct engine *e, struct batch *b)
{
	struct job *j, *next;

	OW_FAULT("tmqueue.answer");
	while ((j = waiters_served(&e->sp->queues)) != NULL)
		answer(e, j);
	for (j = b->first; j != NULL; j = next) {
		next = j->next;
		if (!j->waits) {
			answer(e, j);
			continue;
		}
		waiters_add(j->from, j);
		j->from->fresh = e->again = true;
	}
}

/* Nobody waits for the answer of such a job: it is executed once more, until it
 * can be committed. A minute has one line. */
static void repeat_later(struct engine *e, struct job *j, int r)
{
	uint64_t now = ow_clock_mono_ns();

	j->next = e->later;
	e->later = j;
	e->later_ns = now + RETRY_NS;
	if (now < e->told_ns)
		return;
	e->told_ns = now + 60 * OW_NS_PER_SEC;
	userlog((char *)"tmqueue: space %s: what comes back from services, "
		"callers or transactions cannot be written, and is tried "
		"again: %s", e->sp->name,
		r == STORE_FULL ? "the disk is full" : strerror(-r));
}

/* A job that cannot be committed. */
static void refuse(struct engine *e, struct job *j, int r)
{
	if (j->kind != JOB_REQUEST) {
		repeat_later(e, j, r);
		return;
	}
	if (r == STORE_FULL)
		job_fail(j, TPEOS, QMENOSPACE, "the disk of the queue space is "
			 "full");
	else
		job_fail(j, TPESYSTEM, QMESYSTEM, strerror(-r));
	if (r < 0)
		userlog((char *)"tmqueue: space %s: %s", e->sp->name,
			strerror(-r));
	answer(e, j);
}

static void run(struct engine *e, struct batch *b)
{
	struct batch one = { .alone = true };
	struct job *j, *next;
	int r = commit(e, b);

	if (r == 0) {
		answer_all(e, b);
		return;
	}
	/* What is due may be what found no room. */
	e->due_ns = ow_clock_real_ns() + RETRY_NS;
	for (j = b->first; j != NULL; j = next) {
		next = j->next;
		j->next = NULL;
		one.first = j;
		one.bytes = execute_adds(j);
		one.removes = execute_removes(j);
		r = commit(e, &one);
		if (r == 0)
			answer_all(e, &one);
		else
			refuse(e, j, r);
	}
}

/* ---- the thread ---- */

/* Those who wait in vain. */
static void look_at_waiters(struct engine *e, uint64_t now)
{
	struct job *j;

	if (e->look_ns != 0 && now < e->look_ns)
		return;
	while ((j = waiters_late(&e->sp->queues, now, &e->ports)) != NULL) {
		j->waits = false;
		job_fail(j, TPETIME, QMENOMSG, "no message came in time");
		answer(e, j);
		snapshot_worked(e->sp->snapshot, true);
	}
}

static struct job *put_before(struct job *first, struct job *list)
{
	struct job *last = first;

	if (first == NULL)
		return list;
	while (last->next != NULL)
		last = last->next;
	last->next = list;
	return first;
}

/* The engine's own jobs come first, however many requests wait. */
static struct job *add_own(struct engine *e, struct job *list, uint64_t now)
{
	if (e->later != NULL && now >= e->later_ns) {
		list = put_before(e->later, list);
		e->later = NULL;
	}
	list = put_before(e->back, list);
	e->back = NULL;
	return list;
}

static void work_on(struct engine *e, struct batch *b)
{
	uint64_t before = store_commits(&e->sp->store);
	bool jobs = b->first != NULL;

	run(e, b);
	snapshot_worked(e->sp->snapshot,
			jobs || store_commits(&e->sp->store) != before);
}

/* A message that comes back finds no room, and this process ends: `since` it is
 * to. Wait a moment: true, try again. */
static bool must_wait(const struct engine *e, uint64_t since)
{
	const struct timespec pause = { .tv_nsec = STOP_PAUSE_NS };
	const struct job *j = e->later;

	while (j != NULL && j->kind != JOB_RESTORE)
		j = j->next;
	if (j == NULL || ow_clock_mono_ns() - since >= STOP_NS)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

static void *work(void *arg)
{
	struct engine *e = arg;
	struct job *list = NULL;
	struct batch b;
	bool stop = false;
	uint64_t now, since = 0;

	while (!stop || list != NULL || e->back != NULL ||
	       must_wait(e, since)) {
		if (list == NULL)
			list = take_all(e, &stop);
		now = ow_clock_mono_ns();
		if (stop && since == 0)
			since = now;
		if (stop)
			e->later_ns = now;
		list = add_own(e, list, now);
		look_at_waiters(e, now);
		b = cut(&list);
		work_on(e, &b);
		e->look_ns = waiters_next(&e->sp->queues, now + LOOK_NS);
		e->ports.committed(e->sp);
		snapshot_look(e->sp->snapshot, e->sp, now);
	}
	return NULL;
}

int engine_start(struct engine **ret, struct space *sp,
		 const struct engine_ports *ports)
{
	struct engine *e = calloc(1, sizeof(*e));
	pthread_condattr_t attr;
	int r;

	if (e == NULL)
		return -ENOMEM;
	e->sp = sp;
	e->ports = *ports;
	e->due_ns = 1; /* look */
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->come, &attr);
	pthread_cond_init(&e->room, &attr);
	pthread_condattr_destroy(&attr);
	r = pthread_create(&e->thread, NULL, work, e);
	if (r != 0) {
		free(e);
		return -r;
	}
	*ret = e;
	return 0;
}

/* It was given to a caller who died before he had it. */
static void name_lost(const struct engine *e, const struct job *j)
{
	log_error("space %s, queue %s: a message of %llu bytes is lost, number "
		  "%llu: it could not be delivered, and the disk has no room "
		  "for it to come back", e->sp->name, j->from->name,
		  (unsigned long long)j->taken.head.len,
		  (unsigned long long)j->taken.number);
	userlog((char *)"tmqueue: space %s, queue %s: a message of %llu bytes "
		"is lost: the disk is full", e->sp->name, j->from->name,
		(unsigned long long)j->taken.head.len);
}

struct engine *engine_stop(struct engine *e)
{
	struct job *j;

	if (e == NULL)
		return NULL;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_signal(&e->come);
	pthread_cond_broadcast(&e->room);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	waiters_free(&e->sp->queues);
	while ((j = e->later) != NULL) {
		e->later = j->next;
		if (j->kind == JOB_RESTORE)
			name_lost(e, j);
		job_free(j);
	}
	free(e);
	return NULL;
}
