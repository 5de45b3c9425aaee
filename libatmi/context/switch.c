/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.c - which bundles this thread has, and changing them
 *
 * The end of a thread is noticed before the destructors of pthread keys
 * (thread_end.h): its context and its loggers are still there.
 */
#include "libatmi/context/switch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/context/return.h"
#include "libatmi/context/thread_end.h"
#include "libubf/base/uncancelled.h"

struct ow_aside {
	struct ow_aside *below;
	struct ow_bundle *part[OW_PARTS];
	struct ow_state state;
	uint8_t away; /* of the thread's home */
	struct ow_share_aside share;
};

OW_TLS_FAST struct ow_held *ow_held;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- parts ---- */

/* Move one part from the thread to `b`. */
static void take(struct ow_held *h, struct ow_bundle *b,
		 enum ow_state_part part)
{
	ow_state_take(&b->state, part);
	h->part[part] = NULL;
	if (part == OW_PART_ATMI && b->state.ctx != NULL)
		b->state.ctx->bundle = b;
}

unsigned int ow_held_of(const struct ow_held *h, const struct ow_bundle *b)
{
	unsigned int found = 0;
	int i;

	for (i = 0; i < OW_PARTS; i++)
		if (h->part[i] == b)
			found |= OW_PART_BIT(i);
	return found;
}

void ow_held_take(struct ow_held *h, struct ow_bundle *b,
		  enum ow_state_part part)
{
	struct ow_bundle *had = h->part[part];

	if (had != b)
		ow_state_end(&b->state, part); /* what rested there */
	take(h, b, part);
	if (had != NULL && had != b && ow_held_of(h, had) == 0)
		ow_bundle_release(had);
}

void ow_held_put(struct ow_held *h, struct ow_bundle *b, unsigned int parts)
{
	int i;

	for (i = 0; i < OW_PARTS; i++) {
		if ((parts & OW_PART_BIT(i)) == 0)
			continue;
		ow_state_put(&b->state, (enum ow_state_part)i);
		h->part[i] = b;
	}
}

/* End the thread's own part, but not the context with which it serves. */
static void end_own(enum ow_state_part part)
{
	struct ow_state s; /* of which only this part is made and ended */

	ow_state_take(&s, part);
	if (part == OW_PART_ATMI && s.ctx != NULL &&
	    s.ctx == ow_ctx_home()) {
		s.ctx->bundle = NULL;
		s.ctx = NULL;
	}
	ow_state_end(&s, part);
}

void ow_held_vacate(struct ow_held *h, unsigned int parts)
{
	struct ow_ctx *home = ow_ctx_home();
	struct ow_bundle *b;
	int i;

	if (home != NULL && (parts & OW_PART_BIT(OW_PART_ATMI)) != 0)
		home->away |= OW_CTX_AWAY;
	for (i = 0; i < OW_PARTS; i++) {
		b = h->part[i];
		if ((parts & OW_PART_BIT(i)) == 0)
			continue;
		if (b == NULL) {
			end_own((enum ow_state_part)i);
			continue;
		}
		take(h, b, (enum ow_state_part)i);
		if (ow_held_of(h, b) == 0)
			ow_bundle_release(b);
	}
}

bool ow_held_may(const struct ow_bundle *b)
{
	const struct ow_ctx *c = b->state.ctx;

	return c == NULL || c->srvid == 0 || c == ow_ctx_home();
}

/* ---- the stack ---- */

int ow_held_push(struct ow_held *h)
{
	struct ow_ctx *home = ow_ctx_home();
	struct ow_aside *a = h->spare;
	int i;

	h->spare = NULL;
	if (a == NULL)
		a = calloc(1, sizeof(*a));
	if (a == NULL)
		return -ENOMEM;
	memcpy(a->part, h->part, sizeof(a->part));
	memset(h->part, 0, sizeof(h->part));
	for (i = 0; i < OW_PARTS; i++)
		ow_state_take(&a->state, (enum ow_state_part)i);
	a->share = ow_share_put_aside();
	if (home != NULL) {
		a->away = home->away;
		home->away |= OW_CTX_AWAY;
	}
	a->below = h->aside;
	h->aside = a;
	return 0;
}

void ow_held_pop(struct ow_held *h)
{
	struct ow_ctx *home = ow_ctx_home();
	struct ow_aside *a = h->aside;
	int i;

	ow_shared_quit();
	ow_held_vacate(h, OW_PARTS_ALL);
	h->aside = a->below;
	ow_share_bring_back(&a->share);
	memcpy(h->part, a->part, sizeof(h->part));
	for (i = 0; i < OW_PARTS; i++)
		ow_state_put(&a->state, (enum ow_state_part)i);
	if (home != NULL)
		home->away = a->away;
	if (h->spare == NULL)
		h->spare = a;
	else
		free(a);
}

/* ---- the end of a service, of a thread; forks ---- */

/* Put the thread's home on it again. Another thread that tries to take it gives
 * it back at once: ow_held_may(). */
static void bring(struct ow_held *h, struct ow_ctx *c)
{
	struct ow_bundle *b = c->bundle;
	int r = b != NULL ? -EBUSY : -ENOENT;

	while (r == -EBUSY) {
		r = ow_bundle_claim(b->handle, &b);
		if (r == -EBUSY)
			sched_yield();
	}
	if (r == 0)
		ow_held_put(h, b, b->parts);
	else
		ow_ctx_attach(c);
}

void ow_context_return(struct ow_ctx *c)
{
	OW_UNCANCELLED;
	struct ow_held *h = ow_held_need();

	while (h != NULL && h->aside != NULL)
		ow_held_pop(h);
	ow_shared_quit();
	if (h != NULL && ow_ctx_peek() != c) {
		ow_held_vacate(h, OW_PARTS_ALL);
		bring(h, c);
	}
	c->away &= (uint8_t)~OW_CTX_AWAY;
}

static void end_or_rest(struct ow_held *h, struct ow_bundle *b)
{
	unsigned int parts = ow_held_of(h, b);
	int i;

	for (i = 0; i < OW_PARTS; i++)
		if ((parts & OW_PART_BIT(i)) != 0)
			take(h, b, (enum ow_state_part)i);
	if (!b->auto_destroy) {
		ow_bundle_release(b);
		return;
	}
	for (i = 0; i < OW_PARTS; i++)
		ow_state_end(&b->state, (enum ow_state_part)i);
	ow_bundle_free(b);
}

static void thread_ends(void *arg)
{
	OW_UNCANCELLED;
	struct ow_held *h = arg;
	int i;

	if (ow_share_is_inside()) /* cancelled in a wait */
		ow_share_cancelled(ow_ctx_detach());
	while (h->aside != NULL)
		ow_held_pop(h);
	ow_shared_quit();
	for (i = 0; i < OW_PARTS; i++)
		if (h->part[i] != NULL)
			end_or_rest(h, h->part[i]);
	free(h->spare);
	free(h);
	ow_held = NULL;
}

/* The child goes on with what its thread had, but for calls, and has no
 * handles. */
static void forked(void)
{
	ow_bundle_forget_all();
	(void)ow_share_put_aside();
	ow_share_quit();
	if (ow_held == NULL)
		return;
	memset(ow_held->part, 0, sizeof(ow_held->part));
	ow_held->aside = NULL;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

struct ow_held *ow_held_need(void)
{
	struct ow_held *h = ow_held;

	if (ow_ctx_is_hidden())
		return NULL;
	if (h != NULL)
		return h;
	pthread_once(&once, watch_forks);
	h = calloc(1, sizeof(*h));
	if (h == NULL)
		return NULL;
	if (ow_at_thread_end(thread_ends, h) != 0) {
		free(h);
		return NULL;
	}
	ow_held = h;
	return h;
}
