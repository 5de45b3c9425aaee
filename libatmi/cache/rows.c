/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - which services are cached, and how
 *
 * The rows are a hash table by name, to which ndrxd alone adds. What a crash
 * leaves. ndrxd is killed before `used` is stored: a free row. While `seq` is
 * odd: a row that nobody uses until the next ndrxd writes it. A process that
 * drops is killed: before the addition, or behind it.
 */
#include "libatmi/cache/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libubf/base/uncancelled.h"

static const struct ow_sparse layout = {
	.kind = "cache",
	.magic = CACHE_MAGIC,
	.head_size = CACHE_HEAD_SIZE,
	.piece_size = CACHE_PIECE,
	.pieces = CACHE_SHARDS,
};

/* ---- the segment ---- */

struct ow_cache *cache_of(const struct ow_domain *d)
{
	return atomic_load_explicit(&d->cache, memory_order_acquire);
}

static int map(struct ow_domain *d, bool create)
{
	struct ow_cache *c = calloc(1, sizeof(*c));
	int r;

	if (c == NULL)
		return -ENOMEM;
	r = ow_sparse_map(d, &layout, create, &c->map);
	if (r == 0)
		atomic_store(&d->cache, c);
	else
		free(c);
	return r == -ENOENT && !create ? OW_CACHE_ABSENT : r;
}

int ow_cache_need(struct ow_domain *d, bool create)
{
	OW_UNCANCELLED;
	int r = 0;

	if (cache_of(d) != NULL)
		return 0;
	ow_sparse_lock();
	if (cache_of(d) == NULL)
		r = map(d, create);
	ow_sparse_unlock();
	return r;
}

void ow_cache_unmap(struct ow_domain *d)
{
	struct ow_cache *c = cache_of(d);

	if (c == NULL)
		return;
	atomic_store(&d->cache, NULL);
	ow_sparse_unmap(&layout, &c->map);
	free(c);
}

/* ---- rows ---- */

static struct cache_row *row_at(const struct ow_domain *d, uint32_t row)
{
	return &cache_head(cache_of(d))->row[row];
}

static bool is_used(const struct cache_row *r)
{
	return atomic_load_explicit(&r->used, memory_order_acquire) == 1;
}

/* The row called `name`, or the free one where it would be; NULL: no row is
 * free. */
static struct cache_row *place_of(const struct ow_domain *d, const char *name)
{
	uint32_t i, at = (uint32_t)ow_cache_hash(0, name, strlen(name));
	struct cache_row *r;

	for (i = 0; i < CACHE_ROWS; i++) {
		r = row_at(d, (at + i) % CACHE_ROWS);
		if (!is_used(r) || strcmp(r->name, name) == 0)
			return r;
	}
	return NULL;
}

int ow_cache_find(const struct ow_domain *d, const char *service,
		  uint32_t *ret_row)
{
	const struct cache_row *r = place_of(d, service);

	if (r == NULL || !is_used(r))
		return OW_CACHE_ABSENT;
	*ret_row = (uint32_t)(r - row_at(d, 0));
	return 0;
}

bool ow_cache_current(struct ow_domain *d, uint32_t row, uint32_t seq,
		      uint64_t *ret_epoch)
{
	const struct cache_row *r = row_at(d, row);

	*ret_epoch = atomic_load(&r->epoch);
	return (seq & 1) == 0 && atomic_load(&r->seq) == seq;
}

int ow_cache_read(struct ow_domain *d, uint32_t row,
		  struct ow_cache_settings *ret, uint32_t *ret_seq)
{
	const struct cache_row *r = row_at(d, row);

	*ret_seq = atomic_load(&r->seq);
	*ret = r->settings;
	atomic_thread_fence(memory_order_acquire);
	if ((*ret_seq & 1) != 0 || ow_load_relaxed(&r->seq) != *ret_seq)
		return OW_CACHE_ABSENT;
	ret->key[sizeof(ret->key) - 1] = '\0';
	ret->drop[sizeof(ret->drop) - 1] = '\0';
	return 0;
}

void ow_cache_count(struct ow_domain *d, uint32_t row, enum ow_cache_count what)
{
	atomic_fetch_add_explicit(&row_at(d, row)->count[what], 1,
				  memory_order_relaxed);
}

static void figures_of(const struct cache_row *r, struct ow_cache_figures *f)
{
	*f = (struct ow_cache_figures){
		.hits = ow_load_relaxed(&r->count[OW_CACHE_HIT]),
		.misses = ow_load_relaxed(&r->count[OW_CACHE_MISS]),
		.kept = ow_load_relaxed(&r->count[OW_CACHE_KEPT]),
		.unfit = ow_load_relaxed(&r->count[OW_CACHE_UNFIT]),
		.drops = ow_load_relaxed(&r->count[OW_CACHE_DROP]),
	};
}

bool ow_cache_next(struct ow_domain *d, uint32_t *row, char name[32],
		   struct ow_cache_settings *settings,
		   struct ow_cache_figures *figures)
{
	const struct cache_row *r;
	uint32_t seq = 0;

	for (; *row < CACHE_ROWS; (*row)++) {
		r = row_at(d, *row);
		if (!is_used(r))
			continue;
		memcpy(name, r->name, 31);
		name[31] = '\0';
		if (ow_cache_read(d, *row, settings, &seq) != 0)
			memset(settings, 0, sizeof(*settings));
		figures_of(r, figures);
		return true;
	}
	return false;
}

bool ow_cache_figures(const struct ow_domain *d, const char *service,
		      struct ow_cache_figures *ret)
{
	uint32_t row = 0;

	if (cache_of(d) == NULL || ow_cache_find(d, service, &row) != 0)
		return false;
	figures_of(row_at(d, row), ret);
	return true;
}

/* ---- ndrxd writes ---- */

/* The row of a service, with a name: NULL, no row is free. */
static struct cache_row *have_row(struct ow_domain *d, const char *name)
{
	struct cache_row *r = place_of(d, name);

	if (r == NULL || is_used(r))
		return r;
	memset(r->name, 0, sizeof(r->name));
	memcpy(r->name, name, strnlen(name, sizeof(r->name) - 1));
	OW_FAULT("cache.named");
	atomic_store(&r->used, 1);
	return r;
}

static void put_settings(struct cache_row *r, const struct ow_cache_settings *s)
{
	uint32_t seq = atomic_load(&r->seq);

	if ((seq & 1) == 0 && memcmp(&r->settings, s, sizeof(*s)) == 0)
		return;
	seq |= 1;
	atomic_store(&r->seq, seq);
	atomic_thread_fence(memory_order_seq_cst);
	OW_FAULT("cache.settings");
	r->settings = *s;
	OW_FAULT("cache.epoch");
	atomic_fetch_add(&r->epoch, 1);
	OW_FAULT("cache.seq");
	atomic_store(&r->seq, seq + 1);
}

static bool is_listed(const char *name, const struct ow_cache_service *all,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, name) == 0)
			return true;
	return false;
}

static uint64_t bit_of(const char *event)
{
	return UINT64_C(1) << ow_cache_hash(0, event, strlen(event)) % 64;
}

static uint64_t bits_of(const struct ow_cache_service *all, size_t n)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].settings.drop[0] != '\0')
			bits |= bit_of(all[i].settings.drop);
	return bits;
}

int ow_cache_publish(struct ow_domain *d, const struct ow_cache_service *all,
		     size_t n)
{
	static const struct ow_cache_settings off;
	int r = ow_cache_need(d, n > 0);
	struct cache_row *row;

	if (r == OW_CACHE_ABSENT)
		return 0; /* nothing was ever cached */
	if (r != 0)
		return r;
	/* Events first: no reply is kept whose event nobody would see. */
	atomic_fetch_or(&cache_head(cache_of(d))->events, bits_of(all, n));
	atomic_store(&d->tables->head->caches, 1);
	for (uint32_t i = 0; i < CACHE_ROWS; i++) {
		row = row_at(d, i);
		if (is_used(row) && !is_listed(row->name, all, n))
			put_settings(row, &off);
	}
	for (size_t i = 0; i < n; i++) {
		row = have_row(d, all[i].name);
		if (row != NULL)
			put_settings(row, &all[i].settings);
		else
			r = -ENOSPC;
	}
	return r;
}

/* ---- drops ---- */

static void drop(struct cache_row *r)
{
	atomic_fetch_add(&r->epoch, 1);
	atomic_fetch_add_explicit(&r->count[OW_CACHE_DROP], 1,
				  memory_order_relaxed);
}

uint32_t ow_cache_drop(struct ow_domain *d, const char *service)
{
	uint32_t i, n = 0;
	struct cache_row *r;

	if (ow_cache_need(d, false) != 0)
		return 0;
	for (i = 0; i < CACHE_ROWS; i++) {
		r = row_at(d, i);
		if (!is_used(r) || r->settings.ttl_ns == 0 ||
		    (service != NULL && strcmp(r->name, service) != 0))
			continue;
		drop(r);
		n++;
	}
	return n;
}

void ow_cache_event(struct ow_domain *d, const char *event)
{
	struct ow_cache_settings s;
	struct cache_row *r;
	uint32_t i, seq = 0;

	if (atomic_load(&d->tables->head->caches) == 0 ||
	    ow_cache_need(d, false) != 0 ||
	    (atomic_load(&cache_head(cache_of(d))->events) & bit_of(event)) == 0)
		return;
	for (i = 0; i < CACHE_ROWS; i++) {
		r = row_at(d, i);
		/* Settings that change now drop everything anyway. */
		if (is_used(r) && ow_cache_read(d, i, &s, &seq) == 0 &&
		    strcmp(s.drop, event) == 0)
			drop(r);
	}
}
