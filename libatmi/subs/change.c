/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - subscriptions are added and removed
 *
 * Under the domain lock, with `seq` odd. subs.h says what a crash leaves.
 */
#include <errno.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/subs/rows.h"

/* ---- links ---- */

static uint32_t *first_of(struct ow_subs *s, const struct subs_row *r)
{
	return r->how == 0 ? &s->head->patterns
			   : &s->head->bucket[subs_bucket(r->hash)];
}

static void count_row(struct ow_subs *s, const struct subs_row *r, uint32_t by)
{
	struct subs_head *h = s->head;
	uint64_t bit = UINT64_C(1) << (r->len & 63);

	atomic_store(&h->used, atomic_load(&h->used) + by);
	if (r->how == 0) {
		atomic_store(&h->npatterns, atomic_load(&h->npatterns) + by);
		return;
	}
	h->by_length[r->len] += by;
	if (h->by_length[r->len] > 0)
		atomic_store(&h->lengths, atomic_load(&h->lengths) | bit);
	else
		atomic_store(&h->lengths, atomic_load(&h->lengths) & ~bit);
}

static void link_row(struct ow_subs *s, uint32_t row, struct subs_row *r)
{
	uint32_t *first = first_of(s, r);

	r->prev = 0;
	r->next = *first;
	if (r->next != 0)
		subs_row(s, r->next - 1)->prev = row + 1;
	*first = row + 1;
	count_row(s, r, 1);
}

static void unlink_row(struct ow_subs *s, struct subs_row *r)
{
	if (r->prev != 0)
		subs_row(s, r->prev - 1)->next = r->next;
	else
		*first_of(s, r) = r->next;
	if (r->next != 0)
		subs_row(s, r->next - 1)->prev = r->prev;
	count_row(s, r, UINT32_MAX);
}

static void free_row(struct ow_subs *s, uint32_t row, struct subs_row *r)
{
	r->next = s->head->free;
	s->head->free = row + 1;
}

/* The word of a pattern, if it is one: how, len, hash, word. */
static void classify(struct subs_row *r)
{
	struct ow_regex re;
	char why[64];
	uint32_t i;

	r->how = 0;
	r->len = 0;
	if (ow_regex_compile(&re, r->s.pattern, why, sizeof(why)) != 0)
		return;
	if (re.how != OW_REGEX_POSIX && re.len > 0 && re.len < OW_SUBS_WORD) {
		r->how = (uint32_t)re.how;
		r->len = re.len;
		memcpy(r->word, re.u.word, re.len);
		for (i = 0, r->hash = SUBS_HASH; i < re.len; i++)
			r->hash = subs_hash(r->hash, r->word[i]);
	}
	ow_regex_close(&re);
}

/* ---- begin and end ---- */

/* A writer was killed: everything derived anew, from the rows. */
static void rebuild(struct ow_subs *s)
{
	struct subs_head *h = s->head;
	uint32_t row, high = atomic_load(&h->high);
	struct subs_row *r;

	memset(h->bucket, 0, sizeof(h->bucket));
	memset(h->by_length, 0, sizeof(h->by_length));
	h->patterns = h->free = 0;
	atomic_store(&h->lengths, 0);
	atomic_store(&h->used, 0);
	atomic_store(&h->npatterns, 0);
	for (row = high; row-- > 0;) {
		r = subs_row(s, row);
		if (r == NULL)
			continue;
		OW_FAULT("subs.rebuild");
		if (atomic_load(&r->used) == 1) {
			classify(r);
			link_row(s, row, r);
		} else {
			r->turn++;
			free_row(s, row, r);
		}
	}
}

/* The lock is held afterwards: 0, LOCKED, ABSENT. */
static int begin(struct ow_domain *d, struct ow_subs **ret)
{
	struct ow_subs *s = ow_subs_of(d);
	uint32_t seq;

	if (s == NULL)
		return OW_SUBS_ABSENT;
	if (ow_tables_lock(d->tables) != 0)
		return OW_SUBS_LOCKED;
	seq = atomic_load(&s->head->seq);
	atomic_store(&s->head->seq, seq | 1);
	atomic_thread_fence(memory_order_seq_cst);
	OW_FAULT("subs.begin");
	if ((seq & 1) != 0)
		rebuild(s);
	*ret = s;
	return 0;
}

static void end(struct ow_domain *d, struct ow_subs *s)
{
	OW_FAULT("subs.end");
	atomic_store(&s->head->seq, atomic_load(&s->head->seq) + 1);
	ow_tables_unlock(d->tables);
}

int ow_subs_repair(struct ow_domain *d)
{
	struct ow_subs *s = NULL;
	int r = begin(d, &s);

	if (r == 0)
		end(d, s);
	return r == OW_SUBS_ABSENT ? 0 : r;
}

/* ---- add ---- */

static bool is_of(const struct ow_sub_owner *a, const struct ow_sub_owner *b)
{
	if (a->srvid != b->srvid)
		return false;
	if (a->srvid != 0)
		return a->pid == b->pid && a->start == b->start;
	return a->slot == b->slot && a->gen == b->gen;
}

static bool says_the_same(const struct ow_sub *a, const struct ow_sub *b)
{
	return a->flags == b->flags && a->owner.srvid == b->owner.srvid &&
	       strcmp(a->pattern, b->pattern) == 0 &&
	       strcmp(a->filter, b->filter) == 0 &&
	       strcmp(a->service, b->service) == 0 &&
	       memcmp(a->cltid, b->cltid, sizeof(a->cltid)) == 0; /* queue */
}

/* The subscription of an earlier process of this server: 1 + row, or 0. */
static uint32_t find_earlier(struct ow_domain *d, struct ow_subs *s,
			     const struct subs_row *like)
{
	uint32_t link = *first_of(s, like);
	const struct subs_row *r;

	if (like->s.owner.srvid == 0)
		return 0;
	for (; link != 0; link = r->next) {
		r = subs_row(s, link - 1);
		if (says_the_same(&r->s, &like->s) &&
		    !is_of(&r->s.owner, &like->s.owner) &&
		    !ow_subs_owner_lives(d, &r->s.owner))
			return link;
	}
	return 0;
}

/* A free row: 0, FULL, NOSPACE. */
static int take_row(struct ow_subs *s, uint32_t *ret)
{
	uint32_t high = atomic_load(&s->head->high);
	struct subs_row *r;

	if (s->head->free != 0) {
		*ret = s->head->free - 1;
		s->head->free = subs_row(s, *ret)->next;
		return 0;
	}
	if (high == OW_SUBS_MAX)
		return OW_SUBS_FULL;
	if (ow_segment_reserve(s->fd,
			       SUBS_HEAD_SIZE + high * sizeof(struct subs_row),
			       sizeof(struct subs_row)) != 0)
		return OW_SUBS_NOSPACE;
	r = subs_row(s, high);
	if (r == NULL)
		return OW_SUBS_NOSPACE;
	OW_FAULT("subs.high");
	atomic_store(&s->head->high, high + 1);
	*ret = high;
	return 0;
}

static int add(struct ow_domain *d, struct ow_subs *s, const struct ow_sub *sub,
	       long *ret_id)
{
	struct subs_row like = { .s = *sub }, *r;
	uint32_t row = 0, earlier;
	int err;

	classify(&like);
	earlier = find_earlier(d, s, &like);
	if (earlier != 0) {
		r = subs_row(s, earlier - 1);
		r->s.owner = sub->owner;
		*ret_id = subs_id(earlier - 1, r->turn);
		return 0;
	}
	err = take_row(s, &row);
	if (err != 0)
		return err;
	r = subs_row(s, row);
	r->s = *sub;
	classify(r);
	OW_FAULT("subs.filled");
	atomic_store(&r->used, 1);
	OW_FAULT("subs.used");
	link_row(s, row, r);
	*ret_id = subs_id(row, r->turn);
	return 0;
}

int ow_subs_add(struct ow_domain *d, const struct ow_sub *sub, long *ret_id)
{
	struct ow_subs *s = NULL;
	int r = begin(d, &s);

	if (r != 0)
		return r;
	r = add(d, s, sub, ret_id);
	end(d, s);
	return r;
}

/* ---- remove ---- */

/* The row may be another subscription's afterwards, which has another id. */
static void drop(struct ow_subs *s, uint32_t row, struct subs_row *r)
{
	atomic_store(&r->used, 0);
	OW_FAULT("subs.unused");
	unlink_row(s, r);
	OW_FAULT("subs.unlinked");
	r->turn++;
	free_row(s, row, r);
}

int ow_subs_remove(struct ow_domain *d, long id, bool of_dead,
		   uint32_t *ret_n)
{
	struct ow_subs *s = NULL;
	struct subs_row *r;
	int err = begin(d, &s);

	*ret_n = 0;
	if (err != 0)
		return err;
	if (id >= 0 && subs_row_of(id) < atomic_load(&s->head->high)) {
		r = subs_row(s, subs_row_of(id));
		if (r != NULL && atomic_load(&r->used) == 1 &&
		    subs_id(subs_row_of(id), r->turn) == id &&
		    !(of_dead && ow_subs_owner_lives(d, &r->s.owner))) {
			drop(s, subs_row_of(id), r);
			*ret_n = 1;
		}
	}
	end(d, s);
	return 0;
}

int ow_subs_remove_of(struct ow_domain *d, const struct ow_sub_owner *o,
		      uint32_t *ret_n)
{
	struct ow_subs *s = NULL;
	uint32_t row, high;
	struct subs_row *r;
	int err = begin(d, &s);

	*ret_n = 0;
	if (err != 0)
		return err;
	high = atomic_load(&s->head->high);
	for (row = 0; row < high; row++) {
		r = subs_row(s, row);
		if (r == NULL || atomic_load(&r->used) == 0 ||
		    !is_of(&r->s.owner, o))
			continue;
		drop(s, row, r);
		++*ret_n;
	}
	end(d, s);
	return 0;
}

void ow_subs_round(struct ow_domain *d, uint32_t *at, uint32_t most)
{
	struct ow_subs *s = ow_subs_of(d);
	const struct subs_row *r;
	uint32_t high, n, removed;
	struct ow_sub sub;
	long id;

	if (s == NULL || ow_subs_count(d) == 0)
		return;
	high = atomic_load(&s->head->high);
	for (n = 0; n < most && n < high; n++, ++*at) {
		if (*at >= high)
			*at = 0;
		r = subs_row(s, *at);
		if (r == NULL || atomic_load(&r->used) == 0 ||
		    ow_subs_owner_lives(d, &r->s.owner))
			continue;
		id = subs_id(*at, r->turn);
		if (ow_subs_read(d, id, &sub) == 0 &&
		    !ow_subs_owner_lives(d, &sub.owner) &&
		    ((sub.flags & OW_SUB_PERSIST) == 0 ||
		     (sub.flags & OW_SUB_NOTIFY) != 0))
			ow_subs_remove(d, id, true, &removed);
	}
}
