/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctx.c - contexts come with a thread's first call and go with the thread
 *
 * The thread's pointer is thread-local; a pthread key runs ow_ctx_leave() for
 * threads that end without tpterm(). At exit of the process a destructor
 * removes the queues of all contexts that are left. A forked child starts
 * with none: what it inherited belongs to its parent.
 */
#include "libatmi/call/ctx.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/tls.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/call/svcq.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/trace.h"

static OW_TLS_FAST struct ow_ctx *self;
static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_ctx *list;
static _Atomic uint32_t last_number;

static void destroy(struct ow_ctx *c);

static void thread_ends(void *arg)
{
	destroy(arg);
}

/* In a forked child: nothing of the parent's is ours. The memory is left
 * alone, only the descriptors of queues are closed. */
static void forked(void)
{
	struct ow_ctx *c;

	for (c = list; c != NULL; c = c->list_next)
		ow_queue_close(c->replyq);
	list = NULL;
	self = NULL;
	ow_trace_close();
	pthread_mutex_init(&list_lock, NULL);
	pthread_setspecific(exit_key, NULL);
}

static void init_once(void)
{
	pthread_key_create(&exit_key, thread_ends);
	pthread_atfork(NULL, NULL, forked);
}

static void list_add(struct ow_ctx *c)
{
	pthread_mutex_lock(&list_lock);
	c->list_next = list;
	if (list != NULL)
		list->list_prev = c;
	list = c;
	pthread_mutex_unlock(&list_lock);
}

static void list_del(struct ow_ctx *c)
{
	pthread_mutex_lock(&list_lock);
	if (c->list_prev != NULL)
		c->list_prev->list_next = c->list_next;
	else if (list == c)
		list = c->list_next;
	if (c->list_next != NULL)
		c->list_next->list_prev = c->list_prev;
	pthread_mutex_unlock(&list_lock);
}

struct ow_ctx *ow_ctx_peek(void)
{
	return self;
}

static int fail_join(int r, const char *why)
{
	if (r == -EINVAL)
		ow_tp_fail(TPEINVAL, "%s", why);
	else if (r == OW_TABLES_FOREIGN || r == OW_TABLES_ABSENT)
		ow_tp_fail(TPESYSTEM, "%s", why);
	else
		ow_tp_fail(TPEOS, "%s", why);
	return -1;
}

/* The domain that runs, or (no segment is there) its environment alone:
 * whoever only calls leaves no segment behind. */
static int find_domain(struct ow_ctx *c)
{
	char why[512] = "";
	int r = ow_domain_join(false, &c->dom, why, sizeof(why));

	if (r == OW_TABLES_ABSENT) {
		c->dom = calloc(1, sizeof(*c->dom));
		if (c->dom == NULL)
			return ow_tp_fail(TPEOS, "no memory for a context");
		r = ow_domain_read_env(c->dom, why, sizeof(why));
	}
	if (r == 0)
		return 0;
	log_error("join: %s", why);
	return fail_join(r, why);
}

static void drop_domain(struct ow_ctx *c)
{
	if (c->dom != NULL && c->dom->tables == NULL)
		free(c->dom);
	else if (c->dom != NULL)
		ow_domain_leave(c->dom);
	c->dom = NULL;
}

static bool is_gone(const struct ow_ctx *c)
{
	return c->srvid == 0 && c->dom->tables != NULL &&
	       ow_domain_is_gone(c->dom);
}

struct ow_ctx *ow_ctx_get(void)
{
	struct ow_ctx *c;

	if (self != NULL && !is_gone(self))
		return self;
	ow_ctx_leave(); /* the domain was removed, perhaps started again */
	pthread_once(&once, init_once);
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		ow_tp_fail(TPEOS, "no memory for a context");
		return NULL;
	}
	if (find_domain(c) != 0) {
		drop_domain(c);
		free(c);
		return NULL;
	}
	c->number = atomic_fetch_add(&last_number, 1) + 1;
	c->prio_last = 50;
	self = c;
	pthread_setspecific(exit_key, c);
	ow_log_set_context((long)c->number);
	ow_trace_open(c);
	list_add(c);
	return c;
}

int ow_ctx_need_domain(struct ow_ctx *c)
{
	struct ow_domain *env = c->dom;

	if (c->dom->tables != NULL)
		return 0;
	if (find_domain(c) != 0) {
		if (c->dom != env)
			free(c->dom);
		c->dom = env;
		return -1;
	}
	free(env);
	if (c->dom->tables == NULL)
		return ow_tp_fail(TPENOENT, "domain %s is not running",
				  c->dom->prefix);
	return 0;
}

void ow_ctx_set_server(struct ow_ctx *c, uint32_t srvid, const char *bin)
{
	c->srvid = srvid;
	ow_trace_leave(c); /* no request yet, whatever the environment says */
	snprintf(c->srvbin, sizeof(c->srvbin), "%s", bin);
}

/* ---- slot and reply queue ---- */

static void name_slot(struct ow_ctx *c)
{
	char prog[32];

	snprintf(prog, sizeof(prog), "%.31s", ow_log_progname());
	if (c->srvid != 0)
		snprintf(c->clt->queue, sizeof(c->clt->queue),
			 "srv,reply,%.31s,%u,%d", c->srvbin, c->srvid,
			 (int)getpid());
	else
		snprintf(c->clt->queue, sizeof(c->clt->queue),
			 "clt,reply,%.31s,%d,%u", prog, (int)getpid(),
			 c->number);
	if (c->srvid != 0)
		snprintf(c->clt->cltid, sizeof(c->clt->cltid),
			 "srv,%.31s,%u,%d,%u,%ld", c->srvbin, c->srvid,
			 (int)getpid(), c->number, c->dom->nodeid);
	else
		snprintf(c->clt->cltid, sizeof(c->clt->cltid),
			 "clt,%.31s,%d,%u,%ld", prog, (int)getpid(),
			 c->number, c->dom->nodeid);
	c->clt->ctx = c->number;
	c->clt->srvid = c->srvid;
}

static void give_slot_back(struct ow_ctx *c)
{
	if (!c->has_slot)
		return;
	c->has_slot = false;
	/* The name goes while the slot still tells it: killed in between, we
	 * leave nothing that the reaper does not find. */
	if (c->replyq != NULL)
		ow_queue_remove_reply(c->dom, c->slot);
	ow_tables_lock(c->dom->tables);
	if (atomic_load(&c->clt->gen) == c->gen)
		ow_clt_clear(c->dom->tables, c->slot);
	ow_tables_unlock(c->dom->tables);
	/* After this point no server sends to the queue any more, or sees
	 * afterwards that it came too late (answer.c). */
	if (c->replyq != NULL)
		ow_reap_drain(c->dom, c->replyq);
}

static int take_slot(struct ow_ctx *c)
{
	int r = ow_clt_take(c->dom->tables, &c->slot);

	if (r == OW_TABLES_LIMIT)
		return ow_tp_fail(TPELIMIT, "all %u client slots are in use",
				  OW_CLT_MAX);
	if (r != 0)
		return ow_tp_fail(TPEOS, "client table: no shared memory: %s",
				  r < 0 ? strerror(-r) : "file system full");
	c->clt = &c->dom->tables->clt[c->slot];
	c->gen = atomic_load(&c->clt->gen);
	c->has_slot = true;
	name_slot(c);
	return 0;
}

/* The queue, with patience: queues of clients that have just gone are held
 * open by servers for up to a second. */
static int create_queue(struct ow_ctx *c, struct ow_queue_shape *shape)
{
	uint64_t until = ow_clock_mono_ns() + 2500 * OW_NS_PER_MS;
	struct timespec nap = { .tv_nsec = 50 * 1000 * 1000 };
	int r;

	for (;;) {
		r = ow_queue_create_reply(c->dom, c->slot, shape,
					  &c->replyq);
		if (r != OW_QUEUE_LIMIT || ow_clock_mono_ns() > until)
			return r;
		nanosleep(&nap, NULL);
	}
}

int ow_ctx_need_reply_queue(struct ow_ctx *c)
{
	struct ow_queue_shape shape = { c->dom->rep_maxmsg,
					c->dom->rep_msgsize };
	int r;

	if (c->replyq != NULL)
		return 0;
	if (take_slot(c) != 0)
		return -1;
	r = create_queue(c, &shape);
	if (r == 0) {
		c->rx_size = shape.msgsize;
		c->rx = malloc(c->rx_size);
		c->clt->maxmsg = shape.maxmsg;
		c->clt->msgsize = shape.msgsize;
		if (c->rx != NULL)
			return 0;
		r = -ENOMEM;
	}
	give_slot_back(c);
	c->replyq = ow_queue_close(c->replyq);
	if (r == OW_QUEUE_LIMIT)
		return ow_tp_fail(TPEOS, "reply queue: the kernel's limits on "
				  "POSIX queues are used up (RLIMIT_MSGQUEUE, "
				  "fs.mqueue.queues_max, open files): see "
				  "`xadmin doctor`");
	return ow_tp_fail_errno(r, "reply queue");
}

/* ---- the end ---- */

static void destroy(struct ow_ctx *c)
{
	ow_trace_close();
	list_del(c);
	ow_call_drop_all(c);
	give_slot_back(c);
	ow_queue_close(c->replyq);
	ow_svcq_close_all(c);
	drop_domain(c);
	free(c->calls);
	free(c->rx);
	free(c);
}

void ow_ctx_leave(void)
{
	struct ow_ctx *c = self;

	if (c == NULL)
		return;
	self = NULL;
	pthread_setspecific(exit_key, NULL);
	destroy(c);
}

/* At exit of the process other threads may still run: names and slots are
 * given back, memory is left alone. */
__attribute__((destructor)) static void process_ends(void)
{
	struct ow_ctx *c;

	pthread_mutex_lock(&list_lock);
	for (c = list; c != NULL; c = c->list_next)
		give_slot_back(c);
	list = NULL;
	pthread_mutex_unlock(&list_lock);
}

/* ---- descriptors ---- */

static int grow_calls(struct ow_ctx *c)
{
	int n = c->ncalls == 0 ? 64 : c->ncalls * 2;
	struct ow_call *p;

	if (c->ncalls == OW_CD_MAX)
		return -1;
	if (n > OW_CD_MAX)
		n = OW_CD_MAX;
	p = realloc(c->calls, (size_t)n * sizeof(*p));
	if (p == NULL)
		return -1;
	memset(p + c->ncalls, 0, (size_t)(n - c->ncalls) * sizeof(*p));
	c->calls = p;
	c->ncalls = n;
	return 0;
}

/* A free descriptor near next_cd; 0 is never given out. */
static int find_free(struct ow_ctx *c)
{
	int i, cd;

	if (c->outstanding >= c->ncalls - 1 && grow_calls(c) != 0)
		return 0;
	for (i = 0; i < c->ncalls; i++) {
		cd = (c->next_cd + i) % c->ncalls;
		if (cd != 0 && c->calls[cd].state == OW_CALL_FREE)
			return cd;
	}
	return 0;
}

int ow_call_new(struct ow_ctx *c, uint64_t *ret_seq)
{
	int cd = find_free(c);

	if (cd == 0)
		return 0;
	c->next_cd = cd + 1;
	c->calls[cd].state = OW_CALL_WAITING;
	c->calls[cd].seq = ++c->next_seq;
	c->outstanding++;
	atomic_store_explicit(&c->clt->outstanding, (uint32_t)c->outstanding,
			      memory_order_relaxed);
	*ret_seq = c->calls[cd].seq;
	return cd;
}

struct ow_call *ow_call_find(struct ow_ctx *c, int cd)
{
	if (cd <= 0 || cd >= c->ncalls || c->calls[cd].state == OW_CALL_FREE)
		return NULL;
	return &c->calls[cd];
}

static void unlink_kept(struct ow_ctx *c, struct ow_call *call)
{
	if (call->prev != 0)
		c->calls[call->prev].next = call->next;
	else
		c->kept_first = call->next;
	if (call->next != 0)
		c->calls[call->next].prev = call->prev;
	else
		c->kept_last = call->prev;
}

void ow_call_drop(struct ow_ctx *c, int cd)
{
	struct ow_call *call = ow_call_find(c, cd);

	if (call == NULL)
		return;
	if (call->state == OW_CALL_KEPT) {
		unlink_kept(c, call);
		if (call->reply->block != 0)
			ow_block_free(c->dom->blocks, call->reply->block);
		free(call->reply);
	}
	memset(call, 0, sizeof(*call));
	c->outstanding--;
	atomic_store_explicit(&c->clt->outstanding, (uint32_t)c->outstanding,
			      memory_order_relaxed);
}

void ow_call_drop_all(struct ow_ctx *c)
{
	int cd;

	for (cd = 1; cd < c->ncalls && c->outstanding > 0; cd++)
		ow_call_drop(c, cd);
}
