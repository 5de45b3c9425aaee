/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - the dispatch threads of a server: how many there are
 *
 * thread.c has the life of one of them. The lock guards the list of threads
 * and their states; it is not on the path of a request: a thread counts itself
 * busy and idle by an atomic number.
 */
#include "libatmisrv/pool.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/pages.h"
#include "libatmi/log/log.h"
#include "libatmi/log/setting.h"
#include "libatmi/transport/transport.h"
#include "libatmi/base/tperror.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/control.h"
#include "libatmisrv/options.h"
#include "libatmisrv/program.h"
#include "libatmisrv/server.h"
#include "libatmisrv/thread.h"

#define THREADS_MAX 1000
#define RETRY_NS    OW_NS_PER_SEC /* after a thread could not be started */

/* ---- growing ---- */

static bool has_number(const struct ow_pool *p, uint32_t number)
{
	const struct ow_thread *t;

	for (t = p->threads; t != NULL; t = t->next)
		if (t->number == number && t->state != OW_THREAD_ENDED)
			return true;
	return false;
}

/* Start one more thread. Signals are the main thread's. Lock held. */
static int add_thread(struct ow_pool *p)
{
	struct ow_thread *t = ow_pages_take(sizeof(*t));
	sigset_t all, old;
	int r;

	if (t == NULL)
		return -ENOMEM;
	t->pool = p;
	for (t->number = 2; has_number(p, t->number); t->number++)
		;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&t->id, &p->attr, ow_thread_run, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0) {
		ow_pages_give(t, sizeof(*t));
		return -r;
	}
	t->next = p->threads;
	p->threads = t;
	atomic_fetch_add(&p->n, 1);
	return 0;
}

/* All threads are busy. */
static void grow(struct ow_pool *p)
{
	uint64_t now = ow_clock_mono_ns();
	int r = 0;

	pthread_mutex_lock(&p->lock);
	if (!p->closing && p->open && now >= p->retry_ns &&
	    atomic_load(&p->n) < p->max &&
	    atomic_load(&p->busy) >= atomic_load(&p->n))
		r = add_thread(p);
	if (r != 0)
		p->retry_ns = now + RETRY_NS;
	pthread_mutex_unlock(&p->lock);
	if (r != 0)
		log_error("one more dispatch thread: %s", strerror(-r));
}

/* Each service function of a threaded server begins here. */
static void serve_in_pool(TPSVCINFO *info)
{
	struct ow_server *s = ow_server_self();
	struct ow_pool *p = s->pool;

	s->busy = true;
	if (atomic_fetch_add(&p->busy, 1) + 1 >= atomic_load(&p->n) &&
	    atomic_load(&p->n) < p->max)
		grow(p);
	s->offers[atomic_load(&s->slot->cur_adv) - 1].threaded(info);
}

static void rest(struct ow_server *s)
{
	if (!s->busy)
		return;
	s->busy = false;
	s->rested_ns = ow_clock_mono_ns();
	atomic_fetch_sub(&s->pool->busy, 1);
}

/* ---- shrinking ---- */

/* May this thread end? It does, if so. */
static bool shrink(struct ow_server *s, uint64_t now)
{
	struct ow_pool *p = s->pool;
	bool ends;

	if (atomic_load(&p->n) <= p->min || now < s->rested_ns + p->idle_ns)
		return false;
	pthread_mutex_lock(&p->lock);
	ends = atomic_load(&p->n) > p->min && !p->closing;
	if (ends)
		atomic_fetch_sub(&p->n, 1);
	pthread_mutex_unlock(&p->lock);
	return ends;
}

/* Join threads that have ended; `all`: wait for the others, too. */
static void join(struct ow_pool *p, bool all)
{
	struct ow_thread **at = &p->threads, *t;

	pthread_mutex_lock(&p->lock);
	while ((t = *at) != NULL) {
		if (!all && t->state != OW_THREAD_ENDED) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		pthread_mutex_unlock(&p->lock);
		pthread_join(t->id, NULL);
		ow_pages_give(t, sizeof(*t));
		pthread_mutex_lock(&p->lock);
		at = &p->threads;
	}
	pthread_mutex_unlock(&p->lock);
}

static void tick(struct ow_server *s, uint64_t now)
{
	if (s->main == NULL)
		join(s->pool, false);
	else if (shrink(s, now))
		s->stop = s->counted_out = true;
}

/* ---- orders ---- */

/* Kick all further threads. Lock held. */
static void kick_all(struct ow_pool *p)
{
	struct ow_thread *t;

	for (t = p->threads; t != NULL; t = t->next)
		if (t->state == OW_THREAD_READY)
			ow_waitset_kick(t->s.waitset);
}

static bool kicked(struct ow_server *s)
{
	struct ow_pool *p = s->pool;
	bool closing;

	if (s->main == NULL) {
		if (atomic_load(&p->leaving))
			ow_control_leaving(s);
		return true;
	}
	pthread_mutex_lock(&p->lock);
	closing = p->closing;
	pthread_mutex_unlock(&p->lock);
	if (!closing)
		ow_thread_follow_offers(s);
	return closing;
}

static void stop_process(struct ow_server *s, bool leaving)
{
	if (leaving)
		atomic_store(&s->pool->leaving, true);
	ow_waitset_kick(s->main->waitset);
}

static void offers_changed(struct ow_server *s)
{
	struct ow_pool *p = s->pool;
	uint32_t row;

	pthread_mutex_lock(&p->lock);
	for (row = 0; row < p->noffers; row++)
		p->offers[row].wanted = s->offers[row].wanted;
	kick_all(p);
	pthread_mutex_unlock(&p->lock);
}

/* Services of the process that are new run in all threads. Lock held, the main
 * thread is in tpsvrthrinit() or waits for the others. */
static void take_over(struct ow_pool *p)
{
	struct ow_offer *o;
	uint32_t row;

	for (row = 0; row < p->main->noffers; row++) {
		o = &p->main->offers[row];
		if (o->p_func == serve_in_pool)
			continue;
		o->threaded = o->p_func;
		o->p_func = serve_in_pool;
	}
	memcpy(p->offers, p->main->offers, sizeof(p->offers));
	p->noffers = p->main->noffers;
}

static int advertise_locked(struct ow_pool *p, const char *svc,
			    const char *func, struct ow_serves f)
{
	struct ow_server *s = p->main;
	struct ow_offer *o = svc != NULL ? ow_offer_find(s, svc) : NULL;
	int r;

	/* Each thread advertises what the first one has. */
	if (o != NULL && ow_offer_is(o, f))
		return 0;
	if (o != NULL)
		return ow_tp_fail(TPEMATCH, "service %s is offered by function "
				  "%s", svc, o->func);
	if (p->open || p->closing)
		return ow_tp_fail(TPEPROTO, "a server with dispatch threads "
				  "advertises in tpsvrinit() and "
				  "tpsvrthrinit()");
	if (ow_offer_add_as(s, svc, func, f) != 0)
		return -1;
	o = ow_offer_find(s, svc);
	r = ow_offer_group(s, o);
	if (r != 0)
		o->name[0] = '\0';
	take_over(p);
	return r;
}

static int advertise(struct ow_server *s, const char *svc, const char *func,
		     struct ow_serves f)
{
	int r;

	pthread_mutex_lock(&s->pool->lock);
	r = advertise_locked(s->pool, svc, func, f);
	pthread_mutex_unlock(&s->pool->lock);
	return r;
}

static const struct ow_pool_hooks hooks = {
	.rest = rest,
	.tick = tick,
	.kicked = kicked,
	.exit = stop_process,
	.offers_changed = offers_changed,
	.advertise = advertise,
};

/* ---- start and stop ---- */

static void set_stack(struct ow_pool *p)
{
	long kb = 0;

	pthread_attr_init(&p->attr);
	if (ow_setting_long("NDRX_THREADSTACKSIZE", 0, -1, 1 << 20, &kb) != 0 ||
	    kb <= 0)
		return;
	if (kb * 1024 < PTHREAD_STACK_MIN)
		kb = PTHREAD_STACK_MIN / 1024 + 1;
	pthread_attr_setstacksize(&p->attr, (size_t)kb * 1024);
}

/* How many threads are configured: 0, or -EINVAL (said). */
static int read_limits(long *min, long *max, long *idle_s)
{
	*min = *max = 1;
	*idle_s = 10;
	if (ow_setting_long("NDRX_MINDISPATCHTHREADS", 1, 1, THREADS_MAX,
			    min) != 0 ||
	    ow_setting_long("NDRX_MAXDISPATCHTHREADS", 1, 1, THREADS_MAX,
			    max) != 0 ||
	    ow_setting_long("NDRX_DISPATCHIDLE", 10, 1, 1000000, idle_s) != 0)
		return -EINVAL;
	if (*max < *min)
		*max = *min;
	return 0;
}

static struct ow_pool *make(struct ow_server *s, const struct ow_program *prog,
			    long min, long max)
{
	struct ow_pool *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	set_stack(p);
	p->main = s;
	p->program = prog;
	p->min = (uint32_t)min;
	p->max = (uint32_t)max;
	atomic_store(&p->n, 1);
	take_over(p);
	s->ctx->away |= OW_CTX_POOL;
	s->pool = p;
	s->hooks = &hooks;
	return p;
}

/* Start the first threads and wait for them: 0, -1. */
static int start_first(struct ow_pool *p)
{
	const struct ow_thread *t;
	int r = 0;

	pthread_mutex_lock(&p->lock);
	while (r == 0 && atomic_load(&p->n) < p->min)
		r = add_thread(p);
	if (r != 0)
		log_error("dispatch thread: %s", strerror(-r));
	for (t = p->threads; t != NULL;) {
		if (t->state == OW_THREAD_STARTING) {
			pthread_cond_wait(&p->changed, &p->lock);
			t = p->threads;
			continue;
		}
		if (t->state == OW_THREAD_ENDED)
			r = -1;
		t = t->next;
	}
	pthread_mutex_unlock(&p->lock);
	return r == 0 ? 0 : -1;
}

#pragma GCC visibility push(default)

int _tmbuilt_with_thread_option;

#pragma GCC visibility pop

int ow_pool_start(struct ow_server *s, const struct ow_program *prog)
{
	long min, max, idle_s;
	struct ow_pool *p;

	if (read_limits(&min, &max, &idle_s) != 0)
		return -1;
	if (max <= 1)
		return 0;
	if (!_tmbuilt_with_thread_option) {
		userlog("%s id %u: %ld dispatch threads are configured, but "
			"the program is not built for them (buildserver -t): "
			"it has one", s->opt->bin, s->opt->srvid, max);
		return 0;
	}
	p = make(s, prog, min, max);
	if (p == NULL)
		return -1;
	p->idle_ns = (uint64_t)idle_s * OW_NS_PER_SEC;
	if (ow_program_thrinit(prog, true, s->opt->argc, s->opt->argv) < 0) {
		log_error("tpsvrthrinit() failed in the main thread");
		return -1;
	}
	p->main_ready = true;
	return start_first(p);
}

void ow_pool_open(struct ow_server *s)
{
	struct ow_pool *p = s->pool;

	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->open = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

void ow_pool_stop(struct ow_server *s)
{
	struct ow_pool *p = s->pool;

	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->changed);
	kick_all(p);
	pthread_mutex_unlock(&p->lock);
	join(p, true);
	if (p->main_ready)
		ow_program_thrdone(p->program, true);
	pthread_attr_destroy(&p->attr);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	s->ctx->away &= (uint8_t)~OW_CTX_POOL;
	s->pool = NULL;
	s->hooks = NULL;
	free(p);
}
