/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.c - one context for several threads at once (strict-tuxedo)
 */
#include "libatmi/call/share.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/futex.h"
#include "libatmi/call/context.h"
#include "libubf/base/uncancelled.h"

/* How long a thread that needs room, or wants to be alone, lets the others
 * in. */
#define NAP_NS (1 * OW_NS_PER_MS)

struct ow_share ow_share_unasked;
OW_TLS_FAST struct ow_share *ow_sharing = &ow_share_unasked;
static OW_TLS_FAST struct {
	void *handle; /* of ow_sharing when the thread joined it */
	unsigned int depth; /* functions that it is in, one calls another */
	enum ow_share_fetch fetches;
	bool orders; /* lets nobody in */
	bool single, lost;
} self;

static void nap(void)
{
	OW_UNCANCELLED;
	struct timespec ts = { .tv_nsec = (long)NAP_NS };

	nanosleep(&ts, NULL);
}

/* Take the lock, but not before what lets nobody in has ended: is `handle` still
 * that of the context? */
static bool lock(struct ow_share *s, const void *handle)
{
	pthread_mutex_lock(&s->lock);
	while (s->ordered && s->handle == handle) {
		pthread_mutex_unlock(&s->lock);
		nap();
		pthread_mutex_lock(&s->lock);
	}
	return handle != NULL && s->handle == handle;
}

/* ---- which one a thread has ---- */

void ow_share_init(struct ow_share *s)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
}

void ow_share_open(struct ow_share *s, void *handle, struct ow_ctx *ctx,
		   bool single)
{
	pthread_mutex_lock(&s->lock);
	s->single = single;
	atomic_store(&s->joins, 0);
	s->handle = handle;
	s->ctx = ctx;
	pthread_mutex_unlock(&s->lock);
}

int ow_share_join(struct ow_share *s, void *handle)
{
	bool is, single;

	atomic_fetch_add(&s->joins, 1); /* who has the lock is to let others in */
	is = lock(s, handle);
	single = s->single;
	pthread_mutex_unlock(&s->lock);
	if (!is)
		return -ENOENT;
	self.single = single;
	ow_sharing = s;
	self.handle = handle;
	self.depth = 0;
	self.lost = false;
	return 0;
}

void ow_share_decline(void)
{
	ow_sharing = NULL;
	self.handle = NULL;
	self.single = self.lost = false;
}

void ow_share_quit(void)
{
	ow_share_decline();
	ow_sharing = &ow_share_unasked;
}

void ow_share_may_ask(void)
{
	if (ow_sharing == NULL && !self.lost)
		ow_sharing = &ow_share_unasked;
}

bool ow_share_ask(void)
{
	ow_sharing = NULL;
	return ow_single.join();
}

bool ow_share_is_single(void)
{
	return ow_share_is_any() && self.single;
}

bool ow_share_is(const void *handle)
{
	return ow_share_is_any() && self.handle == handle;
}

void *ow_share_handle(void)
{
	return ow_share_is_any() ? self.handle : NULL;
}

bool ow_share_is_lost(void)
{
	return self.lost;
}

void ow_share_find_peace(void)
{
	self.lost = false;
}

struct ow_share_aside ow_share_put_aside(void)
{
	struct ow_share_aside a = { .share = ow_sharing,
				    .handle = self.handle,
				    .depth = self.depth,
				    .single = self.single };

	ow_sharing = NULL;
	self.handle = NULL;
	self.depth = 0;
	return a;
}

void ow_share_bring_back(const struct ow_share_aside *a)
{
	ow_sharing = a->share;
	self.handle = a->handle;
	self.depth = a->depth;
	self.single = a->single;
}

/* ---- around a function ---- */

int ow_share_enter(struct ow_ctx **ret)
{
	struct ow_share *s = ow_sharing;

	*ret = NULL;
	if (self.depth++ > 0)
		return 1;
	if (lock(s, self.handle)) {
		s->inside++;
		*ret = s->ctx;
		return 1;
	}
	pthread_mutex_unlock(&s->lock);
	self.depth = 0;
	self.lost = !self.single;
	ow_sharing = self.single ? &ow_share_unasked : NULL;
	return 0;
}

void ow_share_in_order(void)
{
	if (!ow_share_is_inside())
		return;
	ow_sharing->ordered = true;
	self.orders = true;
}

bool ow_share_is_outermost(void)
{
	return ow_share_is_any() && self.depth == 1;
}

bool ow_share_is_inside(void)
{
	return ow_share_is_any() && self.depth > 0;
}

/* Who does not receive may have to, now that nobody does. */
static void wake_next(struct ow_share *s)
{
	struct ow_sleeper *p = s->first;

	if (p == NULL || s->receives ||
	    atomic_exchange(&p->woken, 1) != 0)
		return;
	ow_futex_wake(&p->woken, 1);
}

void ow_share_leave(struct ow_ctx *c)
{
	struct ow_share *s = ow_sharing;

	if (!ow_share_is_any() || self.depth == 0 || --self.depth > 0)
		return;
	s->ctx = c;
	s->inside--;
	if (self.orders)
		s->ordered = self.orders = false;
	wake_next(s);
	pthread_mutex_unlock(&s->lock);
}

void ow_share_cancelled(struct ow_ctx *c)
{
	if (!ow_share_is_inside())
		return;
	if (self.fetches != OW_FETCH_NOTHING)
		ow_share_fetched(ow_sharing);
	self.depth = 1;
	ow_share_leave(c);
}

/* ---- inside ---- */

int ow_share_fetch(struct ow_share *s, enum ow_share_fetch kind)
{
	unsigned int others = s->fetching[OW_FETCH_ANY];

	if (kind == OW_FETCH_ANY)
		others += s->fetching[OW_FETCH_ONE];
	if (others > 0)
		return -EBUSY;
	s->fetching[kind]++;
	self.fetches = kind;
	return 0;
}

void ow_share_fetched(struct ow_share *s)
{
	s->fetching[self.fetches]--;
	self.fetches = OW_FETCH_NOTHING;
}

static int receive(struct ow_share *s, struct ow_ctx *c, uint64_t until)
{
	int r;

	s->receives = true;
	pthread_mutex_unlock(&s->lock);
	r = ow_queue_recv(c->replyq, &c->in, until);
	pthread_mutex_lock(&s->lock);
	s->receives = false;
	if (!s->ending)
		return r;
	if (r == 0)
		ow_envelope_close(&c->in);
	return -ECANCELED;
}

static void forget_sleeper(struct ow_share *s, const struct ow_sleeper *me)
{
	struct ow_sleeper **p = &s->first;

	while (*p != NULL && *p != me)
		p = &(*p)->next;
	if (*p != NULL)
		*p = me->next;
}

/* Another thread receives. The first one in the list is the next one, so who
 * comes goes to the end. */
static int sleep_until(struct ow_share *s, int cd, uint64_t until)
{
	struct ow_sleeper me = { .cd = cd }, **p = &s->first;
	int r;

	while (*p != NULL)
		p = &(*p)->next;
	*p = &me;
	pthread_mutex_unlock(&s->lock);
	r = ow_futex_wait(&me.woken, 0, until);
	pthread_mutex_lock(&s->lock);
	forget_sleeper(s, &me);
	if (s->ending)
		return -ECANCELED;
	if (atomic_load(&me.woken) != 0 || r == 0)
		return OW_SHARE_LOOK;
	return r == -EINTR ? OW_QUEUE_SIGNAL : OW_QUEUE_TIMEOUT;
}

int ow_share_recv(struct ow_ctx *c, int cd, uint64_t until)
{
	struct ow_share *s = c->share;

	if (s->ending)
		return -ECANCELED;
	if (!s->receives && until == OW_DEADLINE_NOW)
		return ow_queue_recv(c->replyq, &c->in, until);
	if (until == OW_DEADLINE_NOW)
		return OW_QUEUE_EMPTY;
	return s->receives ? sleep_until(s, cd, until) : receive(s, c, until);
}

/* Who waits for this one alone; else, of a call, who waits for any. */
static struct ow_sleeper *sleeper_of(const struct ow_share *s, int cd)
{
	struct ow_sleeper *p = s->first, *any = NULL;

	for (; p != NULL && p->cd != cd; p = p->next)
		if (p->cd == 0)
			any = p;
	return p != NULL ? p : any;
}

void ow_share_kept(struct ow_share *s, int cd)
{
	struct ow_sleeper *p = sleeper_of(s, cd);

	for (; p != NULL; p = cd == OW_SHARE_CONV ? p->next : NULL)
		if ((p->cd == cd || p->cd == 0) &&
		    atomic_exchange(&p->woken, 1) == 0)
			ow_futex_wake(&p->woken, 1);
}

bool ow_share_is_awaited(const struct ow_share *s, int cd)
{
	const struct ow_sleeper *p = s->first;

	while (p != NULL && p->cd != cd)
		p = p->next;
	return p != NULL;
}

int ow_share_pause(struct ow_share *s)
{
	wake_next(s);
	pthread_mutex_unlock(&s->lock);
	nap();
	pthread_mutex_lock(&s->lock);
	return s->ending ? -ECANCELED : 0;
}

int ow_share_alone(struct ow_share *s)
{
	struct ow_sleeper *p;

	if (s->ending)
		return -EBUSY;
	ow_share_in_order();
	s->ending = true;
	for (p = s->first; p != NULL; p = p->next)
		if (atomic_exchange(&p->woken, 1) == 0)
			ow_futex_wake(&p->woken, 1);
	while (s->inside > 1) {
		pthread_mutex_unlock(&s->lock);
		nap();
		pthread_mutex_lock(&s->lock);
	}
	return 0;
}

void ow_share_close(struct ow_share *s)
{
	s->handle = NULL;
	s->ctx = NULL;
	s->ending = false;
}

void ow_share_reopen(struct ow_share *s)
{
	s->ending = false;
}
