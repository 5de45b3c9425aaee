/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transaction.c - requests in transactions, and questions of tmsrv
 */
#include "servers/bridge/transaction/transaction.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"
#include "libatmisrv/own.h"
#include "servers/bridge/in/inbound.h"
#include "servers/bridge/out/post.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/out/choose.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/send.h"

#define THREADS	     4
#define THREADS_MOST 64 /* of which some may wait for a tmsrv that is silent */
#define STALLED_NS   (20 * OW_NS_PER_MS)
#define IDLE_S	     1 /* after which one of those beyond THREADS ends */
#define SECONDS 5 /* that one question may take */
#define NODES_TRIED 4

/* One of the three: a request to be sent, one that came, one that failed. */
struct job {
	struct job *next;
	struct ow_br_out *o;
	uint64_t number; /* of the request that was handed on */
	uint32_t flags;
	void *held;
	uint32_t log; /* held: the mark of that of `tran` */
	uint32_t node; /* that it came from */
	uint64_t tran; /* of this node */
	int32_t tran_log; /* the mark of its log, as it came with the request */
};

struct ow_br_tran {
	struct ow_br_peers *peers;
	struct ow_br_calls *calls;
	struct ow_br_inbound *in;
	/* With it, the last lock that a thread takes: */
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct job *first, **last;
	bool ended;
	uint32_t under_way; /* jobs that are not done */
	uint32_t queued;    /* those that no thread has taken */
	uint64_t moved_ns;  /* the last time that one was taken, or done */
	pthread_t thread[THREADS_MOST];
	int n, idle;
	int going; /* threads that end, and are not in `thread` any more */
};

/* ---- questions of tmsrv ---- */

void ow_br_question(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_deferred_request();
	struct ow_br_out *o = NULL;
	struct ow_tm_remote f;

	if (m == NULL || (m->flags & OW_MSG_REMOTE) != 0 || m->cd == 0 ||
	    !ow_tm_remote_is(svc->data, svc->len)) {
		ow_br_refuse(TPEINVAL);
		return;
	}
	memcpy(&f, svc->data, sizeof(f));
	if (f.node != 0)
		o = ow_br_out_new(sizeof(f));
	if (o == NULL) {
		ow_br_refuse(f.node == 0 ? TPEINVAL : TPEOS);
		return;
	}
	ow_br_message_frame(m, OW_BR_QUESTION, sizeof(f), &o->frame);
	memcpy(o->payload, &f, sizeof(f));
	o->node = f.node;
	o->deadline = m->deadline_ns;
	ow_br_send_remote(ow_br_self(), o, m);
}

/* ---- the threads ---- */

/* The number of the transaction at the node, which the tmsrv here knows of: 0;
 * TPETRAN, and why. */
static int find_number(struct job *j, uint64_t *ret, uint32_t *ret_log,
		       char why[OW_TP_DETAIL])
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_ENLIST,
					 .tran = j->tran,
					 .log = j->tran_log },
				  .node = j->o->node };
	int r = ow_tm_remote_ask_owner(&f, SECONDS);
	char name[16];

	if (r == 0 && f.m.result == OW_TM_OK && f.sub == 0) {
		f.m.op = OW_TM_ADOPT;
		f.m.tran = 0;
		r = ow_tm_remote_ask(ow_tm_remote_service(j->o->node, &name),
				     &f, SECONDS);
		if (r == 0 && f.m.result == OW_TM_OK) {
			f.m.op = OW_TM_ENLIST;
			f.m.tran = j->tran;
			f.m.log = j->tran_log;
			r = ow_tm_remote_ask_owner(&f, SECONDS);
		}
	}
	if (r != 0 || f.m.result != OW_TM_OK || f.sub == 0) {
		snprintf(why, OW_TP_DETAIL,
			 "transaction %016llx does not go to node %u: %.160s",
			 (unsigned long long)j->tran, j->o->node,
			 r != 0 ? tpstrerror(tperrno)
			 : f.m.result == OW_TM_LOOP
			     ? "it came from there, by another node"
			     : "it has ended, or is ending");
		log_error("%s", why);
		return TPETRAN;
	}
	*ret = f.sub;
	*ret_log = ow_tm_log_mark(f.sub_identity);
	return 0;
}

/* The node to which a request goes: 0, or a tperrno. */
static int choose(struct ow_br_tran *t, struct ow_br_out *o)
{
	const struct ow_br_peer *p;
	int r = 0;

	pthread_mutex_lock(&t->peers->lock);
	p = ow_br_choose(t->calls, o->frame.svc);
	if (p == NULL)
		r = TPENOENT;
	else
		o->node = p->node;
	pthread_mutex_unlock(&t->peers->lock);
	return r;
}

/* To the node that was chosen: 0, or a tperrno. */
static int send_there(struct ow_br_tran *t, struct job *j,
		      char why[OW_TP_DETAIL])
{
	uint64_t there = 0;
	int r = find_number(j, &there, &j->o->frame.log, why);

	if (r != 0)
		return r;
	j->o->frame.flags |= OW_BR_IN_TRAN;
	j->o->frame.urcode = (int64_t)there;
	return ow_br_join_deferred(t->calls, j->o, j->number, j->flags);
}

/* While the tmsrv were asked the node may have withdrawn the service. Nothing
 * was sent, so another may get it; that node has a part without work. */
static void send_one(struct ow_br_tran *t, struct job *j)
{
	char why[OW_TP_DETAIL] = "";
	struct ow_deferred_answer failed = { .tperr = 0, .cause = why };
	int tries = NODES_TRIED;

	do
		failed.tperr = send_there(t, j, why);
	while (failed.tperr == TPENOENT && --tries > 0 &&
	       choose(t, j->o) == 0);
	if (failed.tperr == 0) {
		ow_br_flush(t->peers);
		return;
	}
	failed.tperr = ow_br_error_of(j->flags, failed.tperr);
	failed.urcode = ow_br_urcode_of(failed.tperr);
	ow_br_tran_failed(t, j->o->tran, j->o->tran_log, failed.tperr);
	free(j->o);
	ow_deferred_answer(j->number, &failed);
}

static void check_one(struct ow_br_tran *t, struct job *j)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_CHECK, .tran = j->tran },
				  .from = j->node,
				  .sub = j->log };
	int r = ow_tm_remote_ask_owner(&f, SECONDS);

	ow_br_request_held(t->in, j->held,
			   r == 0 && f.m.result == OW_TM_OK ? 0 : TPETRAN);
}

static void doom_one(struct job *j)
{
	struct ow_tm m = { .op = OW_TM_DOOM,
			   .tran = j->tran,
			   .log = j->tran_log };

	(void)ow_tm_ask_owner(&m);
}

/* Wait for a job. False: for long there was none, and there are more threads than
 * usual. With its lock. */
static bool wait_for_job(struct ow_br_tran *t)
{
	struct timespec until;

	if (t->n <= THREADS)
		return pthread_cond_wait(&t->more, &t->lock) == 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_S;
	return pthread_cond_timedwait(&t->more, &t->lock, &until) == 0 ||
	       t->n <= THREADS || t->first != NULL;
}

/* This thread ends; nobody joins it. With its lock. */
static void go(struct ow_br_tran *t)
{
	int i = 0;

	while (!pthread_equal(t->thread[i], pthread_self()))
		i++;
	t->thread[i] = t->thread[--t->n];
	pthread_detach(pthread_self());
	t->going++;
}

/* It has ended, if it was to go. */
static void gone(struct ow_br_tran *t)
{
	pthread_mutex_lock(&t->lock);
	t->going--;
	pthread_cond_broadcast(&t->more);
	pthread_mutex_unlock(&t->lock);
}

/* The next one; NULL: the bridge ends, and there is none; or the thread is not
 * needed any more. */
static struct job *take(struct ow_br_tran *t, bool *ret_goes)
{
	struct job *j;

	pthread_mutex_lock(&t->lock);
	t->idle++;
	while (t->first == NULL && !t->ended && wait_for_job(t))
		;
	t->idle--;
	j = t->first;
	*ret_goes = j == NULL && !t->ended;
	if (*ret_goes)
		go(t);
	if (j != NULL) {
		t->queued--;
		t->moved_ns = ow_clock_mono_ns();
		t->first = j->next;
		if (t->first == NULL)
			t->last = &t->first;
	}
	pthread_mutex_unlock(&t->lock);
	return j;
}

static void done(struct ow_br_tran *t)
{
	pthread_mutex_lock(&t->lock);
	t->under_way--;
	t->moved_ns = ow_clock_mono_ns();
	pthread_mutex_unlock(&t->lock);
}

bool ow_br_tran_is_idle(struct ow_br_tran *t)
{
	bool idle;

	if (t == NULL)
		return true;
	pthread_mutex_lock(&t->lock);
	idle = t->under_way == 0;
	pthread_mutex_unlock(&t->lock);
	return idle;
}

static void *run(void *arg)
{
	struct ow_br_tran *t = arg;
	struct ow_ctx *c = ow_ctx_get();
	struct job *j;
	bool goes = false;

	if (c != NULL)
		c->may_enter = true; /* as the inbound thread */
	while ((j = take(t, &goes)) != NULL) {
		if (j->o != NULL)
			send_one(t, j);
		else if (j->held != NULL)
			check_one(t, j);
		else
			doom_one(j);
		free(j);
		done(t);
	}
	ow_ctx_leave();
	if (goes)
		gone(t);
	return NULL;
}

int ow_br_tran_make(struct ow_br_peers *ps, struct ow_br_calls *calls,
		    struct ow_br_tran **ret)
{
	struct ow_br_tran *t = calloc(1, sizeof(*t));
	pthread_condattr_t monotonic;

	if (t == NULL)
		return -ENOMEM;
	t->peers = ps;
	t->calls = calls;
	t->last = &t->first;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->more, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*ret = t;
	return 0;
}

void ow_br_tran_serve(struct ow_br_tran *t, struct ow_br_inbound *in)
{
	if (t != NULL)
		t->in = in;
}

static bool start_thread(struct ow_br_tran *t)
{
	if (pthread_create(&t->thread[t->n], NULL, run, t) != 0)
		return false;
	t->n++;
	return true;
}

/* There is a thread. With its lock. */
static bool need_threads(struct ow_br_tran *t)
{
	while (t->n < THREADS && start_thread(t))
		;
	return t->n > 0;
}

void ow_br_tran_look(struct ow_br_tran *t)
{
	uint32_t more;

	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	more = t->ended || t->idle > 0 ||
	       ow_clock_mono_ns() < t->moved_ns + STALLED_NS ? 0 : t->queued;
	while (more-- > 0 && t->n < THREADS_MOST && start_thread(t))
		;
	pthread_mutex_unlock(&t->lock);
}

/* May be called with the lock of the peers. */
static bool add(struct ow_br_tran *t, const struct job *what)
{
	struct job *j = t != NULL ? malloc(sizeof(*j)) : NULL;
	bool taken;

	if (j == NULL)
		return false;
	*j = *what;
	j->next = NULL;
	pthread_mutex_lock(&t->lock);
	taken = !t->ended && need_threads(t);
	if (taken) {
		*t->last = j;
		t->last = &j->next;
		t->under_way++;
		t->queued++;
		pthread_cond_signal(&t->more);
	}
	pthread_mutex_unlock(&t->lock);
	if (!taken)
		free(j);
	return taken;
}

void ow_br_tran_stop(struct ow_br_tran *t)
{
	int i;

	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	t->ended = true;
	pthread_cond_broadcast(&t->more);
	while (t->going > 0)
		pthread_cond_wait(&t->more, &t->lock);
	pthread_mutex_unlock(&t->lock);
	for (i = 0; i < t->n; i++)
		pthread_join(t->thread[i], NULL);
}

/* ---- requests ---- */

void ow_br_tran_send(struct ow_br_tran *t, struct ow_br_out *o,
		     const struct ow_msg *m)
{
	struct ow_deferred_answer failed = { .tperr = TPEOS };
	struct job j = { .o = o,
			 .flags = m->flags,
			 .tran = ow_msg_tran(m),
			 .tran_log = m->tran_log };
	/* Who answers such a request ends its transaction: not here. One-way
	 * calls are in none. */
	int r = (m->flags & OW_MSG_AUTOTRAN) || m->cd == 0 ? TPETRAN
							   : choose(t, o);

	o->tran = m->flags & TPNOABORT ? 0 : j.tran;
	o->tran_log = j.tran_log;
	if (r == 0)
		r = ow_leave_own(); /* nobody here works in it */
	if (r == 0 && ow_deferred_begin(&j.number) != 0)
		r = TPEOS;
	if (r != 0) {
		free(o);
		ow_br_refuse(r);
		return;
	}
	if (add(t, &j))
		return;
	free(o);
	ow_deferred_answer(j.number, &failed);
}

/* What has certainly not been executed, and what has failed there, needs
 * nothing: doc/design/transactions.md, "Errors that doom nothing". */
static bool is_harmless(int tperr)
{
	return tperr == 0 || tperr == TPESVCFAIL || tperr == TPENOENT ||
	       tperr == TPEBLOCK || tperr == TPEITYPE;
}

void ow_br_tran_failed(struct ow_br_tran *t, uint64_t tran, int32_t log,
		       int tperr)
{
	const struct job j = { .tran = tran, .tran_log = log };

	if (tran != 0 && !is_harmless(tperr))
		(void)add(t, &j); /* else its caller alone does it */
}

bool ow_br_tran_check(struct ow_br_tran *t, uint32_t node,
		      const struct ow_br_frame *f, void *held)
{
	const struct job j = { .held = held,
			       .node = node,
			       .tran = (uint64_t)f->urcode,
			       .log = f->log };

	return add(t, &j);
}
