/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - the subscriptions that match the name of an event
 *
 * A reader follows links that a writer may be changing: each link is checked
 * before it is followed, steps are counted, and what was found counts only if
 * `seq` is unchanged.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/forks.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/subs/rows.h"

#define TRIES	  100
#define LOOK_MAX  32u /* patterns that a poster compares itself */
/* Entries for compiled patterns, a power of two: with few patterns in any rows
 * two seldom want the same one. Memory is touched where they are. */
#define COMPILED_LEAST 1024u

/* What a search does with a row that matches; false: that is enough. */
typedef bool found_fn(void *arg, long id);

struct search {
	struct ow_subs *subs;
	const char *event;
	uint32_t len;
	uint32_t high, steps;
	found_fn *found;
	void *arg;
	int err;
};

/* Compiled patterns are the process's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_compiled(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_compiled(void)
{
	pthread_mutex_unlock(&lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_compiled, unlock_compiled, unlock_compiled);
}

/* ---- steps ---- */

/* The row that a link names; NULL: the end, or the links are being changed. */
static struct subs_row *follow(struct search *w, uint32_t link)
{
	if (link == 0 || link > w->high || w->steps++ > w->high + 1)
		return NULL;
	return subs_row(w->subs, link - 1);
}

/* ---- words ---- */

/* Does the word, which lies at `at` of the name, match there? A word that may
 * lie anywhere counts once. */
static bool fits(const struct search *w, const struct subs_row *r,
		 uint32_t at)
{
	bool first = at == 0, last = at + r->len == w->len;

	switch (r->how) {
	case OW_REGEX_EQUAL:
		return first && last;
	case OW_REGEX_PREFIX:
		return first;
	case OW_REGEX_SUFFIX:
		return last;
	default:
		return memmem(w->event, w->len, r->word, r->len) ==
		       w->event + at;
	}
}

/* The words of `len` characters at `at`. */
static bool look_at_part(struct search *w, uint32_t at, uint32_t len,
			 uint32_t hash)
{
	uint32_t link = w->subs->head->bucket[subs_bucket(hash)], row;
	const struct subs_row *r;

	w->steps = 0;
	while ((r = follow(w, link)) != NULL) {
		row = link - 1;
		link = r->next;
		if (r->hash == hash && r->len == len &&
		    len <= sizeof(r->word) &&
		    memcmp(r->word, w->event + at, len) == 0 &&
		    fits(w, r, at) && !w->found(w->arg, subs_id(row, r->turn)))
			return false;
	}
	return true;
}

static bool look_at_words(struct search *w)
{
	uint64_t lengths = ow_load_relaxed(&w->subs->head->lengths);
	uint32_t at, n, hash, longest;

	if (lengths == 0)
		return true;
	longest = 63 - (uint32_t)__builtin_clzll(lengths);
	for (at = 0; at < w->len; at++) {
		hash = SUBS_HASH;
		for (n = 1; n <= longest && at + n <= w->len; n++) {
			hash = subs_hash(hash, w->event[at + n - 1]);
			if ((lengths >> n & 1) != 0 &&
			    !look_at_part(w, at, n, hash))
				return false;
		}
	}
	return true;
}

/* ---- patterns ---- */

/* Room for the patterns that there are, wherever their rows lie. */
static int need_compiled(struct ow_subs *s)
{
	uint32_t patterns = ow_load_relaxed(&s->head->npatterns);
	uint32_t n = COMPILED_LEAST;
	struct subs_compiled *p;

	while (n < patterns * 2 && n < OW_SUBS_MAX)
		n *= 2;
	if (n <= s->ncompiled)
		return 0;
	p = calloc(n, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	ow_subs_drop_compiled(s);
	s->compiled = p;
	s->ncompiled = n;
	return 0;
}

/* The pattern of a row, compiled. Its lock held. */
static struct ow_regex *compiled(struct ow_subs *s, uint32_t row,
				 const struct subs_row *r, int *err)
{
	struct subs_compiled *c;
	char pattern[OW_SUBS_TEXT], why[64];
	long id = subs_id(row, r->turn);

	*err = need_compiled(s);
	if (*err != 0)
		return NULL;
	c = &s->compiled[row % s->ncompiled];
	if (c->used && c->id == id)
		return &c->re;
	if (c->used)
		ow_regex_close(&c->re);
	c->used = false;
	/* `turn` was read before: if the row is in use now, and of the same
	 * turn after the copy, the pattern is that of `id`. */
	if (atomic_load(&r->used) == 0)
		return NULL;
	memcpy(pattern, r->s.pattern, sizeof(pattern));
	pattern[sizeof(pattern) - 1] = '\0';
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load(&r->used) == 0 || subs_id(row, r->turn) != id)
		return NULL; /* being changed: the search is repeated */
	*err = ow_regex_compile(&c->re, pattern, why, sizeof(why));
	if (*err == -EINVAL)
		*err = 0; /* tpsubscribe() has refused it */
	if (c->re.how == 0)
		return NULL;
	c->id = id;
	c->used = true;
	return &c->re;
}

static bool look_at_patterns(struct search *w)
{
	uint32_t link = w->subs->head->patterns, row;
	const struct subs_row *r;
	struct ow_regex *re;
	bool go_on = true;

	if (ow_load_relaxed(&w->subs->head->npatterns) == 0)
		return true;
	pthread_mutex_lock(&lock);
	w->steps = 0;
	while (go_on && w->err == 0 && (r = follow(w, link)) != NULL) {
		row = link - 1;
		link = r->next;
		re = compiled(w->subs, row, r, &w->err);
		if (re != NULL && ow_regex_run(re, w->event, w->len) == 1)
			go_on = w->found(w->arg, subs_id(row, r->turn));
	}
	pthread_mutex_unlock(&lock);
	return go_on;
}

/* ---- the search ---- */

/* `restart` forgets what was found. 0, BUSY, -ENOMEM. */
static int search(struct search *w, void (*restart)(void *))
{
	uint32_t tries, seq = 0;

	w->len = (uint32_t)strlen(w->event);
	for (tries = 0; tries < TRIES; tries++) {
		if (!ow_subs_read_begin(w->subs, &seq))
			return OW_SUBS_BUSY;
		restart(w->arg);
		w->err = 0;
		w->high = atomic_load(&w->subs->head->high);
		if (w->high > OW_SUBS_MAX)
			return OW_SUBS_BUSY;
		if (look_at_words(w))
			look_at_patterns(w);
		if (ow_subs_read_end(w->subs, seq))
			return w->err;
	}
	return OW_SUBS_BUSY;
}

static bool found_one(void *arg, long id)
{
	(void)id;
	*(bool *)arg = true;
	return false;
}

static void forget_one(void *arg)
{
	*(bool *)arg = false;
}

int ow_subs_look(struct ow_domain *d, const char *event, bool *ret)
{
	struct search w = { .subs = ow_subs_of(d), .event = event,
			    .found = found_one, .arg = ret };

	*ret = false;
	if (w.subs == NULL || atomic_load(&w.subs->head->used) == 0)
		return 0;
	if (ow_load_relaxed(&w.subs->head->npatterns) > LOOK_MAX)
		return OW_SUBS_MANY;
	return search(&w, forget_one);
}

static bool found_many(void *arg, long id)
{
	struct ow_subs_found *f = arg;
	long *p;

	if (f->n == f->room) {
		p = realloc(f->id, (f->room + 64) * 2 * sizeof(*p));
		if (p == NULL) {
			f->n = UINT32_MAX;
			return false;
		}
		f->id = p;
		f->room = (f->room + 64) * 2;
	}
	f->id[f->n++] = id;
	return true;
}

static void forget_many(void *arg)
{
	((struct ow_subs_found *)arg)->n = 0;
}

static int compare_ids(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

int ow_subs_find(struct ow_domain *d, const char *event,
		 struct ow_subs_found *ret)
{
	struct search w = { .subs = ow_subs_of(d), .event = event,
			    .found = found_many, .arg = ret };
	int r;

	ret->n = 0;
	if (w.subs == NULL)
		return 0;
	r = search(&w, forget_many);
	if (r == 0 && ret->n == UINT32_MAX)
		r = -ENOMEM;
	if (r != 0)
		ret->n = 0;
	else if (ret->n > 1) /* the oldest first */
		qsort(ret->id, ret->n, sizeof(*ret->id), compare_ids);
	return r;
}

int ow_subs_read(struct ow_domain *d, long id, struct ow_sub *ret)
{
	struct ow_subs *s = ow_subs_of(d);
	uint32_t tries, seq = 0;
	const struct subs_row *r;
	bool is;

	if (s == NULL || id < 0 || subs_row_of(id) >= OW_SUBS_MAX)
		return -ENOENT;
	for (tries = 0; tries < TRIES; tries++) {
		if (!ow_subs_read_begin(s, &seq))
			return OW_SUBS_BUSY;
		if (subs_row_of(id) >= atomic_load(&s->head->high))
			return -ENOENT;
		r = subs_row(s, subs_row_of(id));
		if (r == NULL)
			return -ENOMEM;
		is = atomic_load(&r->used) == 1 &&
		     subs_id(subs_row_of(id), r->turn) == id;
		if (is)
			*ret = r->s;
		if (ow_subs_read_end(s, seq))
			return is ? 0 : -ENOENT;
	}
	return OW_SUBS_BUSY;
}

long ow_subs_next(struct ow_domain *d, long from)
{
	struct ow_subs *s = ow_subs_of(d);
	const struct subs_row *r;
	uint32_t row;

	if (s == NULL)
		return -1;
	for (row = subs_row_of(from); row < atomic_load(&s->head->high);
	     row++) {
		r = subs_row(s, row);
		if (r != NULL && atomic_load(&r->used) == 1)
			return subs_id(row, r->turn);
	}
	return -1;
}

bool ow_subs_owner_lives(const struct ow_domain *d,
			 const struct ow_sub_owner *o)
{
	const struct ow_tables *t = d->tables;

	if (o->srvid != 0)
		return o->srvid < OW_SRV_MAX &&
		       o->srvid < atomic_load(&t->head->srv_high) &&
		       atomic_load(&t->srv[o->srvid].pid) == o->pid &&
		       atomic_load(&t->srv[o->srvid].start) == o->start;
	return ow_clt_lives(t, o->slot, o->gen);
}
