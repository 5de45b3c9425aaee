/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbox.c - batches of spans, or of metrics, on their way to a collector or a
 * file
 */
#include "clients/ndrxotel/outbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxotel/json.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

#define BATCH	   512u
#define COLLECT_NS OW_NS_PER_SEC
#define RETRY_MIN_S 1u
#define RETRY_MAX_S 30u

struct batch {
	struct batch *next;
	size_t n;
	char *text; /* a whole request, without spans; NULL */
	size_t len;
	struct ow_otel_span spans[];
};

struct ow_otel_outbox {
	struct ow_otel_way way;
	struct ow_otel_about about;
	const char *what;
	uint32_t most; /* spans that wait */
	/* the caller's */
	struct batch *filling;
	uint64_t filling_ns; /* its first span came */
	struct ow_otel_json json; /* the thread's: memory for a batch */
	pthread_t thread;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct batch *first, **last;
	bool stop;	   /* no batch comes any more */
	uint64_t until_ns; /* with stop: the end */
	struct ow_otel_out_counts counts;
};

/* ---- the thread ---- */

/* Lock held. Wait for something: until_ns 0: without end. */
static void pause_until(struct ow_otel_outbox *o, uint64_t until_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(until_ns / OW_NS_PER_SEC),
			       .tv_nsec = (long)(until_ns % OW_NS_PER_SEC) };

	if (until_ns == 0)
		pthread_cond_wait(&o->cond, &o->lock);
	else
		pthread_cond_timedwait(&o->cond, &o->lock, &ts);
}

/* Lock held. The result of a try. */
static void note(struct ow_otel_outbox *o, int r, const struct batch *b,
		 uint64_t rejected, const char *why)
{
	struct ow_otel_out_counts *k = &o->counts;

	if (rejected > b->n)
		rejected = b->n;
	if (r == 0) {
		k->sent += b->n - rejected;
		k->refused += rejected;
		k->sent_ns = ow_clock_mono_ns();
	} else {
		k->failures++;
		if (k->error[0] == '\0')
			log_warn("%s are not sent: %s", o->what, why);
	}
	if (r == OW_OTEL_REFUSED)
		k->refused += b->n;
	snprintf(k->error, sizeof(k->error), "%s", why);
}

/* One try, without the lock. */
static int try_send(struct ow_otel_outbox *o, struct batch *b,
		    uint64_t *ret_rejected, unsigned *ret_wait_s, char *why,
		    size_t size)
{
	struct ow_otel_json *j = &o->json;
	int r = OW_OTEL_AGAIN;

	if (b->text != NULL)
		return o->way.send(o->way.arg, b->text, b->len, ret_rejected,
				   ret_wait_s, why, size);
	o->about.real_ns = ow_clock_real_ns() - ow_clock_mono_ns();
	ow_otel_json_again(j);
	ow_otel_otlp_write(j, &o->about, b->spans, b->n);
	if (j->failed)
		snprintf(why, size, "no memory");
	else
		r = o->way.send(o->way.arg, j->bytes, j->len, ret_rejected,
				ret_wait_s, why, size);
	return r;
}

/* Lock held. Send the first batch until it is sent, refused, or there is no
 * time left. */
static void deliver(struct ow_otel_outbox *o, struct batch *b)
{
	unsigned pause_s = RETRY_MIN_S, wait_s;
	uint64_t rejected, until;
	char why[160];
	int r;

	for (;;) {
		rejected = wait_s = 0;
		memset(why, 0, sizeof(why));
		pthread_mutex_unlock(&o->lock);
		r = try_send(o, b, &rejected, &wait_s, why, sizeof(why));
		pthread_mutex_lock(&o->lock);
		note(o, r, b, rejected, why);
		if (r != OW_OTEL_AGAIN)
			return;
		until = ow_clock_mono_ns() +
			(wait_s > pause_s ? wait_s : pause_s) * OW_NS_PER_SEC;
		while (!o->stop && ow_clock_mono_ns() < until)
			pause_until(o, until);
		if (o->stop && ow_clock_mono_ns() + OW_NS_PER_SEC / 5 >=
				   o->until_ns)
			break;
		if (o->stop)
			pause_until(o, ow_clock_mono_ns() + OW_NS_PER_SEC / 5);
		pause_s = pause_s * 2 > RETRY_MAX_S ? RETRY_MAX_S : pause_s * 2;
	}
	o->counts.overflow += b->n;
}

static void batch_free(struct batch *b)
{
	free(b->text);
	free(b);
}

static void *run(void *arg)
{
	struct ow_otel_outbox *o = arg;
	struct batch *b;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_mutex_lock(&o->lock);
	while (!o->stop || o->first != NULL) {
		b = o->first;
		if (b == NULL) {
			pause_until(o, 0);
			continue;
		}
		if (o->stop && ow_clock_mono_ns() >= o->until_ns)
			o->counts.overflow += b->n;
		else
			deliver(o, b);
		o->first = b->next;
		if (o->first == NULL)
			o->last = &o->first;
		o->counts.waiting -= (uint32_t)b->n;
		batch_free(b);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* ---- the caller ---- */

static void init_sync(struct ow_otel_outbox *o)
{
	pthread_condattr_t a;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&o->cond, &a);
	pthread_condattr_destroy(&a);
	pthread_mutex_init(&o->lock, NULL);
}

struct ow_otel_outbox *ow_otel_outbox_open(const struct ow_otel_way *way,
					   const struct ow_otel_about *about,
					   const char *what, uint32_t most)
{
	struct ow_otel_outbox *o = calloc(1, sizeof(*o));

	if (o != NULL) {
		o->way = *way;
		o->about = *about;
		o->what = what;
		o->most = most;
		o->last = &o->first;
		init_sync(o);
		if (pthread_create(&o->thread, NULL, run, o) == 0)
			return o;
	}
	way->close(way->arg);
	free(o);
	return NULL;
}

/* Lock held. Make room for `n`: the oldest batches go, for what is new tells more
 * about now; the first one stays, the thread may be sending it. */
static void make_room(struct ow_otel_outbox *o, size_t n)
{
	struct batch *b;

	while (o->counts.waiting + n > o->most && o->first != NULL &&
	       o->first->next != NULL) {
		b = o->first->next;
		o->first->next = b->next;
		if (b->next == NULL)
			o->last = &o->first->next;
		o->counts.waiting -= (uint32_t)b->n;
		o->counts.overflow += b->n;
		batch_free(b);
	}
}

/* Hand a batch to the thread. */
static void hand_over(struct ow_otel_outbox *o, struct batch *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&o->lock);
	make_room(o, b->n);
	if (o->counts.waiting + b->n > o->most) {
		o->counts.overflow += b->n;
		batch_free(b);
	} else {
		*o->last = b;
		o->last = &b->next;
		o->counts.waiting += (uint32_t)b->n;
		pthread_cond_signal(&o->cond);
	}
	pthread_mutex_unlock(&o->lock);
}

static void hand_over_filled(struct ow_otel_outbox *o)
{
	struct batch *b = o->filling;

	o->filling = NULL;
	hand_over(o, b);
}

static void count_overflow(struct ow_otel_outbox *o, size_t n)
{
	pthread_mutex_lock(&o->lock);
	o->counts.overflow += n;
	pthread_mutex_unlock(&o->lock);
}

void ow_otel_outbox_add_text(struct ow_otel_outbox *o, char *text, size_t len,
			     size_t n)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b == NULL) {
		free(text);
		count_overflow(o, n);
		return;
	}
	b->text = text;
	b->len = len;
	b->n = n;
	hand_over(o, b);
}

void ow_otel_outbox_add(struct ow_otel_outbox *o, const struct ow_otel_span *s)
{
	if (o->filling == NULL) {
		o->filling = malloc(sizeof(*o->filling) +
				    BATCH * sizeof(o->filling->spans[0]));
		if (o->filling == NULL) {
			count_overflow(o, 1);
			return;
		}
		*o->filling = (struct batch){ .n = 0 };
		o->filling_ns = ow_clock_mono_ns();
	}
	o->filling->spans[o->filling->n++] = *s;
	if (o->filling->n == BATCH)
		hand_over_filled(o);
}

void ow_otel_outbox_tick(struct ow_otel_outbox *o, uint64_t now_ns)
{
	if (o->filling != NULL && now_ns >= o->filling_ns + COLLECT_NS)
		hand_over_filled(o);
}

void ow_otel_outbox_count(struct ow_otel_outbox *o,
			  struct ow_otel_out_counts *ret)
{
	pthread_mutex_lock(&o->lock);
	*ret = o->counts;
	pthread_mutex_unlock(&o->lock);
}

void ow_otel_outbox_end(struct ow_otel_outbox *o, uint64_t until_ns)
{
	hand_over_filled(o);
	pthread_mutex_lock(&o->lock);
	o->stop = true;
	o->until_ns = until_ns;
	pthread_cond_signal(&o->cond);
	pthread_mutex_unlock(&o->lock);
	if (o->way.limit != NULL)
		o->way.limit(o->way.arg, until_ns);
}

struct ow_otel_outbox *ow_otel_outbox_close(struct ow_otel_outbox *o)
{
	if (o == NULL)
		return NULL;
	pthread_join(o->thread, NULL);
	o->way.close(o->way.arg);
	pthread_cond_destroy(&o->cond);
	pthread_mutex_destroy(&o->lock);
	ow_otel_json_clear(&o->json);
	free(o);
	return NULL;
}
