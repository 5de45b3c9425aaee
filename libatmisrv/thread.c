/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - the life of one further dispatch thread
 *
 * As that of a process (life.c), but for ndrxd: slot, tpsvrthrinit(), services
 * published, loop, services withdrawn, tpsvrthrdone(), slot given back. A
 * service that ends its thread (pthread_exit()) does it, too: its caller gets
 * TPESVCERR.
 */
#include "libatmisrv/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/context/return.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/envelope.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/join.h"
#include "libatmisrv/loop.h"
#include "libatmisrv/options.h"
#include "libatmisrv/program.h"

static void set_state(struct ow_thread *t, enum ow_thread_state state)
{
	pthread_mutex_lock(&t->pool->lock);
	/* One that failed to start is not tried again at once. */
	if (state == OW_THREAD_ENDED && t->state == OW_THREAD_STARTING)
		t->pool->retry_ns = ow_clock_mono_ns() + OW_NS_PER_SEC;
	t->state = state;
	pthread_cond_broadcast(&t->pool->changed);
	pthread_mutex_unlock(&t->pool->lock);
}

/* The services of the process, none of them published. */
static void copy_offers(struct ow_server *s)
{
	struct ow_pool *p = s->pool;

	pthread_mutex_lock(&p->lock);
	memcpy(s->offers, p->offers, sizeof(s->offers));
	s->noffers = p->noffers;
	pthread_mutex_unlock(&p->lock);
}

/* Whatever it needs to wait for requests: 0, or -1 (said). */
static int begin(struct ow_thread *t)
{
	const struct ow_program *p = t->pool->program;
	struct ow_server *s = &t->s;
	int r;

	s->main = t->pool->main;
	s->opt = s->main->opt;
	s->pool = t->pool;
	s->hooks = s->main->hooks;
	s->no_longjmp = s->main->no_longjmp;
	s->ctl_fd = -1;
	s->rested_ns = ow_clock_mono_ns();
	ow_server_set_thread(s);
	r = ow_server_join_thread(s, t->number);
	if (r == 0)
		r = ow_server_prepare(s);
	if (r != 0) {
		log_error("dispatch thread %u: %s", t->number, strerror(-r));
		return -1;
	}
	s->ctx->away |= OW_CTX_POOL;
	copy_offers(s);
	if (ow_program_thrinit(p, false, s->opt->argc, s->opt->argv) < 0) {
		log_error("dispatch thread %u: tpsvrthrinit() failed",
			  t->number);
		return -1;
	}
	return 0;
}

/* Wait until the main thread has published its services. False: it stops. */
static bool wait_for_opening(struct ow_pool *p)
{
	bool open;

	pthread_mutex_lock(&p->lock);
	while (!p->open && !p->closing)
		pthread_cond_wait(&p->changed, &p->lock);
	open = !p->closing;
	pthread_mutex_unlock(&p->lock);
	return open;
}

void ow_thread_follow_offers(struct ow_server *s)
{
	struct ow_offer *o;
	uint32_t row;
	int r;

	for (row = 0; row < s->noffers; row++) {
		o = &s->offers[row];
		pthread_mutex_lock(&s->pool->lock);
		o->wanted = s->pool->offers[row].wanted;
		pthread_mutex_unlock(&s->pool->lock);
		r = o->wanted ? ow_offer_publish(s, row)
			      : ow_offer_withdraw(s, row);
		if (r != 0)
			log_error("dispatch thread: service %s: %s", o->name,
				  tpstrerror(tperrno));
	}
}

/* The request that a service had in hand when it ended its thread. */
static void fail_request(struct ow_server *s)
{
	if (!s->rq.active)
		return;
	log_error("a service has ended its dispatch thread");
	s->rq.active = false;
	if (!s->rq.returned)
		ow_dispatch_fail(s, TPESVCERR, "it has ended its dispatch "
				 "thread");
	ow_buf_free_auto();
	ow_envelope_close(&s->rq.envelope);
}

/* However the thread ends. */
static void end(void *arg)
{
	struct ow_thread *t = arg;
	struct ow_server *s = &t->s;
	bool whole = true;
	uint32_t row;

	fail_request(s);
	if (s->hooks != NULL)
		s->hooks->rest(s);
	if (!s->counted_out)
		atomic_fetch_sub(&t->pool->n, 1);
	if (s->slot != NULL) {
		ow_context_return(s->ctx);
		atomic_store(&s->slot->state, OW_SRV_STOPPING);
		for (row = 0; row < s->noffers; row++)
			whole &= ow_offer_withdraw(s, row) == 0;
		if (whole)
			ow_server_leave(s);
	}
	set_state(t, OW_THREAD_ENDED); /* it is not kicked any more */
	ow_server_close(s);
	if (s->ctx != NULL)
		s->ctx->srvid = 0;
	ow_ctx_leave();
	ow_server_set_thread(NULL);
}

static void serve(struct ow_thread *t)
{
	int r;

	if (begin(t) != 0)
		return;
	set_state(t, OW_THREAD_READY);
	if (wait_for_opening(t->pool)) {
		copy_offers(&t->s); /* others may have advertised more */
		ow_thread_follow_offers(&t->s);
		r = ow_loop_run(&t->s);
		if (r < 0)
			log_error("dispatch thread %u: %s", t->number,
				  strerror(-r));
	}
	ow_program_thrdone(t->pool->program, false);
}

void *ow_thread_run(void *arg)
{
	pthread_cleanup_push(end, arg);
	serve(arg);
	pthread_cleanup_pop(1);
	return NULL;
}
