/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice.c - which traces are sent: the slow, the failed, one in n
 *
 * Traces stand in a list in the order in which they were first seen, so those
 * that are due are in front. A trace that was decided stays there without its
 * spans, for as long again, for spans that are late.
 */
#include "clients/ndrxotel/choice.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define LATER 4 /* hold times for which a decision is remembered */

struct held {
	struct held *next;
	struct ow_otel_span s;
};

struct trace {
	UT_hash_handle hh;
	uint8_t id[16];
	uint64_t since_ns;
	bool keep, decided;
	struct held *first, **last;
	struct trace *next; /* in the list */
};

struct ow_otel_choice {
	struct ow_otel_wish w;
	ow_otel_chosen_fn *fn;
	void *arg;
	struct trace *by_id;
	/* not decided, and decided: oldest first */
	struct trace *open, **open_end, *done, **done_end;
	uint32_t held;
	uint64_t left_out;
};

struct ow_otel_choice *ow_otel_choice_new(const struct ow_otel_wish *w,
					  ow_otel_chosen_fn *fn, void *arg)
{
	struct ow_otel_choice *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->w = *w;
	c->fn = fn;
	c->arg = arg;
	c->open_end = &c->open;
	c->done_end = &c->done;
	return c;
}

static void decide(struct ow_otel_choice *c, struct trace *t)
{
	struct held *h;

	while ((h = t->first) != NULL) {
		t->first = h->next;
		if (t->keep)
			c->fn(c->arg, &h->s);
		else
			c->left_out++;
		c->held--;
		free(h);
	}
	t->decided = true;
}

/* The oldest trace that is open. */
static void decide_first(struct ow_otel_choice *c, uint64_t now_ns)
{
	struct trace *t = c->open;

	c->open = t->next;
	if (c->open == NULL)
		c->open_end = &c->open;
	decide(c, t);
	t->since_ns = now_ns;
	t->next = NULL;
	*c->done_end = t;
	c->done_end = &t->next;
}

static void forget_first(struct ow_otel_choice *c)
{
	struct trace *t = c->done;

	c->done = t->next;
	if (c->done == NULL)
		c->done_end = &c->done;
	HASH_DEL(c->by_id, t);
	free(t);
}

void ow_otel_choice_tick(struct ow_otel_choice *c, uint64_t now_ns)
{
	while (c->open != NULL && (now_ns >= c->open->since_ns + c->w.hold_ns ||
				   c->held > c->w.most))
		decide_first(c, now_ns);
	while (c->done != NULL &&
	       now_ns >= c->done->since_ns + LATER * c->w.hold_ns)
		forget_first(c);
}

static struct trace *need(struct ow_otel_choice *c, const uint8_t id[16],
			  uint64_t now_ns)
{
	struct trace *t = NULL;
	unsigned int before = HASH_COUNT(c->by_id);

	HASH_FIND(hh, c->by_id, id, sizeof(t->id), t);
	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	memcpy(t->id, id, sizeof(t->id));
	HASH_ADD(hh, c->by_id, id, sizeof(t->id), t);
	if (HASH_COUNT(c->by_id) == before) {
		free(t);
		return NULL;
	}
	t->since_ns = now_ns;
	t->keep = ow_span_is_one_in(id, c->w.one_in);
	t->last = &t->first;
	*c->open_end = t;
	c->open_end = &t->next;
	return t;
}

void ow_otel_choice_add(struct ow_otel_choice *c, const struct ow_otel_span *s,
			uint64_t now_ns)
{
	struct trace *t;
	struct held *h;

	if (c->w.one_in <= 1) { /* nothing to choose */
		c->fn(c->arg, s);
		return;
	}
	t = need(c, s->s.trace_id, now_ns);
	if (t != NULL && (ow_span_is_notable(&s->s, c->w.slow_ns) ||
			  (c->w.sampled && (s->s.flags & OW_SPAN_SAMPLED))))
		t->keep = true;
	h = t != NULL && !t->decided ? malloc(sizeof(*h)) : NULL;
	if (h == NULL) {
		if (t == NULL || t->keep)
			c->fn(c->arg, s);
		else
			c->left_out++;
		return;
	}
	h->s = *s;
	h->next = NULL;
	*t->last = h;
	t->last = &h->next;
	c->held++;
	if (c->held > c->w.most)
		ow_otel_choice_tick(c, now_ns);
}

struct ow_otel_choice *ow_otel_choice_end(struct ow_otel_choice *c)
{
	if (c == NULL)
		return NULL;
	while (c->open != NULL)
		decide_first(c, 0);
	while (c->done != NULL)
		forget_first(c);
	free(c);
	return NULL;
}

uint32_t ow_otel_choice_held(const struct ow_otel_choice *c)
{
	return c->held;
}

uint64_t ow_otel_choice_left_out(const struct ow_otel_choice *c)
{
	return c->left_out;
}
