/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat.c - a flat directory: open and close gaps
 *
 * First that of the plain form, then the rows of the dense form.
 */
#include "libubf/store/store.h"

#include <assert.h>

#include "libubf/store/search.h"
#include "libubf/store/slots.h"

/* If the shorter side has no free slot, the other side is moved if it has at
 * most so many entries. */
#define CHEAP_MOVE 16

const uint32_t ow_ubf_edge[2 * OW_UBF_STARTS] = {
	[OW_UBF_STARTS ... 2 * OW_UBF_STARTS - 1] = UINT32_MAX
};

BFLDID ow_ubf_id_other(const struct Ubfh *h, uint32_t i)
{
	return (BFLDID)ow_ubf_ids(h)[ow_ubf_slot(h, i)];
}

struct ow_ubf_ent *ow_ubf_ent_other(const struct Ubfh *h, unsigned int type,
				    uint32_t i)
{
	uint32_t at;

	if (ow_ubf_plain(h))
		return (struct ow_ubf_ent *)(ow_ubf_words(h) +
					     ow_ubf_slot(h, i));
	at = ow_ubf_index_of(h, type, i);
	if (ow_ubf_type_wide(type))
		return (struct ow_ubf_ent *)
			(ow_ubf_wide(h) + 8 * (h->row[OW_UBF_WIDE].first + at));
	return (struct ow_ubf_ent *)(ow_ubf_narrow(h) +
				     4 * (h->row[OW_UBF_NARROW].first + at));
}

struct ow_ubf_val ow_ubf_val_other(const struct Ubfh *h, unsigned int type,
				   uint32_t i)
{
	return ow_ubf_entry_val(h, type, ow_ubf_ent_other(h, type, i));
}

uint32_t ow_ubf_lower_other(const struct Ubfh *h, BFLDID id)
{
	unsigned int type = ow_ubf_id_type(id);
	uint32_t lo = ow_ubf_start(h, type), n = ow_ubf_start(h, type + 1) - lo;

	if (n == 0)
		return lo;
	if (ow_ubf_paged(h))
		return ow_ubf_pages_lower(h, id);
	return lo + ow_ubf_search_type(ow_ubf_ids(h) + ow_ubf_first(h) + lo, n,
				       (uint32_t)id);
}

int ow_ubf_rank_other(const struct Ubfh *h, BFLDID id, BFLDOCC occ,
		      uint32_t *ret_rank)
{
	uint64_t i = (uint64_t)ow_ubf_lower_other(h, id) + (uint32_t)occ;

	if (i >= ow_ubf_start(h, ow_ubf_id_type(id) + 1) ||
	    ow_ubf_id_at(h, (uint32_t)i) != id)
		return 0;
	*ret_rank = (uint32_t)i;
	return 1;
}

struct ow_ubf_ent *ow_ubf_locate_other(const struct Ubfh *h, BFLDID id,
				       BFLDOCC occ)
{
	uint32_t i;

	return ow_ubf_rank_other(h, id, occ, &i)
		       ? ow_ubf_ent_other(h, ow_ubf_id_type(id), i)
		       : NULL;
}

/* ---- the plain form ---- */

static void clear_spare_plain(struct Ubfh *h)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t end = dir->first + ow_ubf_count_plain(h);
	uint32_t behind = dir->slots - end;

	if (dir->first > 0)
		ow_ubf_clear_slots(h, 0, dir->first);
	if (behind > 0)
		ow_ubf_clear_slots(h, end, behind);
}

/* Move all entries so that one side gets k free slots and half of the other
 * free slots: the next insertions there are cheap. */
static void respread(struct Ubfh *h, int to_front, uint32_t k)
{
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t count = ow_ubf_count_plain(h);
	uint32_t give = k + (dir->slots - count - k) / 2;
	uint32_t first = to_front ? give : dir->slots - count - give;

	ow_ubf_move_slots(h, first, dir->first, count);
	dir->first = first;
	clear_spare_plain(h);
}

uint32_t ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t count = ow_ubf_count_plain(h);
	uint32_t back = dir->slots - dir->first - count;
	int to_front = at < count - at;
	uint32_t other_cost = to_front ? count - at : at;

	assert(ow_ubf_usual(h) && dir->slots - count >= k);
	if ((to_front ? dir->first : back) < k) {
		if ((to_front ? back : dir->first) >= k &&
		    other_cost <= CHEAP_MOVE)
			to_front = !to_front;
		else
			respread(h, to_front, k);
	}
	if (to_front) {
		dir->first -= k;
		ow_ubf_move_slots(h, dir->first, dir->first + k, at);
	} else {
		ow_ubf_move_slots(h, dir->first + at + k, dir->first + at,
				  count - at);
	}
	return dir->first + at;
}

static void close_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t behind = ow_ubf_count_plain(h) - at - k, slot = dir->first;

	if (at < behind) {
		ow_ubf_move_slots(h, slot + k, slot, at);
		dir->first += k;
	} else {
		ow_ubf_move_slots(h, slot + at, slot + at + k, behind);
		slot += at + behind;
	}
	ow_ubf_clear_slots(h, slot, k);
}

/* ---- the rows of the dense form ---- */

/* A row while it is changed. */
struct row {
	char *at;
	uint32_t width;
	struct ow_ubf_span s;
	uint32_t n;	/* entries */
};

static struct row row_of(const struct Ubfh *h, unsigned int row)
{
	return (struct row){ ow_ubf_row(h, row), ow_ubf_row_width(row),
			     ow_ubf_span(h, row), ow_ubf_row_count(h, row) };
}

static inline void move(const struct row *r, uint32_t to, uint32_t from,
			uint32_t n)
{
	if (n > 0)
		memmove(r->at + (size_t)to * r->width,
			r->at + (size_t)from * r->width, (size_t)n * r->width);
}

static void clear(const struct row *r, uint32_t at, uint32_t n)
{
	if (n > 0)
		memset(r->at + (size_t)at * r->width, 0, (size_t)n * r->width);
}

static void clear_spare(const struct row *r)
{
	uint32_t end = r->s.first + r->n;

	clear(r, 0, r->s.first);
	clear(r, end, r->s.slots - end);
}

static void clear_spare_rows(struct Ubfh *h)
{
	unsigned int i;

	for (i = 0; i < OW_UBF_ROWS; i++) {
		struct row r = row_of(h, i);

		if (r.s.slots > 0)
			clear_spare(&r);
	}
}

/* Move all entries so that one side gets k free slots and half of the other
 * free slots: the next insertions there are cheap. */
static void respread_row(struct row *r, int to_front, uint32_t k)
{
	uint32_t give = k + (r->s.slots - r->n - k) / 2;
	uint32_t first = to_front ? give : r->s.slots - r->n - give;

	move(r, first, r->s.first, r->n);
	r->s.first = first;
	clear_spare(r);
}

/* Open a gap of k slots before entry `at` of a row; returns its slot. */
static uint32_t open_gap(struct row *r, uint32_t at, uint32_t k)
{
	uint32_t back = r->s.slots - r->s.first - r->n;
	int to_front = at < r->n - at;
	uint32_t other_cost = to_front ? r->n - at : at;

	assert(r->s.slots - r->n >= k);
	if ((to_front ? r->s.first : back) < k) {
		if ((to_front ? back : r->s.first) >= k &&
		    other_cost <= CHEAP_MOVE)
			to_front = !to_front;
		else
			respread_row(r, to_front, k);
	}
	if (to_front) {
		r->s.first -= k;
		move(r, r->s.first, r->s.first + k, at);
	} else {
		move(r, r->s.first + at + k, r->s.first + at, r->n - at);
	}
	return r->s.first + at;
}

static void *gap_in(struct Ubfh *h, unsigned int row, uint32_t at, uint32_t k,
		    struct ow_ubf_span *ret_span)
{
	struct row r = row_of(h, row);
	uint32_t slot = open_gap(&r, at, k);

	*ret_span = r.s;
	return r.at + (size_t)slot * r.width;
}

static struct ow_ubf_ent *open_rows(struct Ubfh *h, uint32_t at,
				    unsigned int type, uint32_t k,
				    uint32_t **ret_ids)
{
	unsigned int row = ow_ubf_row_of(h, type);
	struct ow_ubf_span ids, words;
	void *e;

	*ret_ids = gap_in(h, OW_UBF_IDS, at, k, &ids);
	e = gap_in(h, row, ow_ubf_index_of(h, type, at), k, &words);
	ow_ubf_set_span(h, OW_UBF_IDS, ids);
	ow_ubf_set_span(h, row, words);
	return e;
}

static struct ow_ubf_span close_in(struct Ubfh *h, unsigned int row,
				   uint32_t at, uint32_t k)
{
	struct row r = row_of(h, row);
	uint32_t behind = r.n - at - k, slot = r.s.first;

	if (at < behind) {
		move(&r, slot + k, slot, at);
		r.s.first += k;
	} else {
		move(&r, slot + at, slot + at + k, behind);
		slot += at + behind;
	}
	clear(&r, slot, k);
	return r.s;
}

static void close_rows(struct Ubfh *h, uint32_t at, unsigned int type,
		       uint32_t k)
{
	unsigned int row = ow_ubf_row_of(h, type);
	struct ow_ubf_span ids, words;

	ids = close_in(h, OW_UBF_IDS, at, k);
	words = close_in(h, row, ow_ubf_index_of(h, type, at), k);
	ow_ubf_set_span(h, OW_UBF_IDS, ids);
	ow_ubf_set_span(h, row, words);
}

/* Dense form: where the rows and the heap begin. */
struct places {
	uint32_t row[OW_UBF_ROWS];
	uint32_t heap;
};

static struct places places_of(const struct ow_ubf_shape *s)
{
	struct places p;
	uint32_t words;

	p.row[OW_UBF_IDS] = sizeof(struct Ubfh);
	words = p.row[OW_UBF_IDS] + 4 * s->row[OW_UBF_IDS].slots;
	p.row[OW_UBF_NARROW] = words;
	words += 4 * s->row[OW_UBF_NARROW].slots;
	p.row[OW_UBF_WIDE] = (uint32_t)ow_ubf_round(words);
	p.heap = p.row[OW_UBF_WIDE] + 8 * s->row[OW_UBF_WIDE].slots;
	return p;
}

uint32_t ow_ubf_rows_end(const struct ow_ubf_shape *s)
{
	return places_of(s).heap;
}

/* A block of the buffer that moves. */
struct block {
	char *from, *to;
	size_t len;
};

/* Blocks in order of their addresses; their targets do not overlap. Those that
 * move down are moved from the first, those that move up from the last. */
static void move_blocks(const struct block *b, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (b[i].len > 0 && b[i].to < b[i].from)
			memmove(b[i].to, b[i].from, b[i].len);
	}
	for (i = n; i-- > 0;) {
		if (b[i].len > 0 && b[i].to > b[i].from)
			memmove(b[i].to, b[i].from, b[i].len);
	}
}

void ow_ubf_reshape_rows(struct Ubfh *h, const struct ow_ubf_shape *s)
{
	struct places p = places_of(s);
	uint32_t was = h->used, len = h->used - h->heap, width;
	struct block b[OW_UBF_ROWS + 1];
	struct ow_ubf_span old;
	unsigned int i;

	for (i = 0; i < OW_UBF_ROWS; i++) {
		old = ow_ubf_span(h, i);
		width = ow_ubf_row_width(i);
		b[i].from = ow_ubf_row(h, i) + (size_t)old.first * width;
		b[i].to = (char *)h + p.row[i] +
			  (size_t)s->row[i].first * width;
		b[i].len = (size_t)ow_ubf_row_count(h, i) * width;
	}
	b[i] = (struct block){ ow_ubf_heap(h), (char *)h + p.heap, len };
	move_blocks(b, OW_UBF_ROWS + 1);
	h->used = p.heap + len;
	if (h->used < was)
		memset((char *)h + h->used, 0, was - h->used);
	h->heap = p.heap;
	for (i = 0; i < OW_UBF_ROWS; i++)
		ow_ubf_set_span(h, i, s->row[i]);
	clear_spare_rows(h);
}

/* ---- both ---- */

void ow_ubf_clear_spare(struct Ubfh *h)
{
	if (ow_ubf_plain(h))
		clear_spare_plain(h);
	else
		clear_spare_rows(h);
}

struct ow_ubf_ent *ow_ubf_open(struct Ubfh *h, uint32_t at, unsigned int type,
			       uint32_t k, uint32_t **ret_ids)
{
	struct ow_ubf_ent *e;
	uint32_t slot;

	if (ow_ubf_plain(h)) {
		slot = ow_ubf_gap(h, at, k);
		*ret_ids = ow_ubf_ids_plain(h) + slot;
		e = (struct ow_ubf_ent *)(ow_ubf_words(h) + slot);
	} else {
		e = open_rows(h, at, type, k, ret_ids);
	}
	ow_ubf_shift_starts(h, type, k);
	return e;
}

void ow_ubf_open_ends(struct Ubfh *h, uint32_t narrow, uint32_t wide)
{
	uint32_t k[OW_UBF_ROWS] = { narrow + wide, narrow, wide };
	struct ow_ubf_span s[OW_UBF_ROWS];
	unsigned int i;

	if (ow_ubf_plain(h)) {
		(void)ow_ubf_gap(h, ow_ubf_count(h), narrow + wide);
		return;
	}
	for (i = 0; i < OW_UBF_ROWS; i++)
		(void)gap_in(h, i, ow_ubf_row_count(h, i), k[i], s + i);
	for (i = 0; i < OW_UBF_ROWS; i++)
		ow_ubf_set_span(h, i, s[i]);
}

void ow_ubf_close(struct Ubfh *h, uint32_t at, unsigned int type, uint32_t k)
{
	if (ow_ubf_plain(h))
		close_gap(h, at, k);
	else
		close_rows(h, at, type, k);
	ow_ubf_shift_starts(h, type, -k);
}
