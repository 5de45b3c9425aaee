/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difference.c - one state of a domain from the one before it, in few bytes
 */
#include "libndrx/blackbox/difference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/blackbox/shapes.h"

#define FIELDS_MAX 128u
#define ROWS_MAX   1000000u

enum { END, CHANGED, CAME, WENT };

/* ---- bytes ---- */

void ow_bb_bytes_free(struct ow_bb_bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

void ow_bb_put_bytes(struct ow_bb_bytes *b, const void *p, size_t n)
{
	size_t room = (b->n + n) * 2 + 256;
	unsigned char *more;

	if (b->n + n > b->room) {
		more = b->failed ? NULL : realloc(b->p, room);
		if (more == NULL) {
			b->failed = true;
			return;
		}
		b->p = more;
		b->room = room;
	}
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

void ow_bb_put_number(struct ow_bb_bytes *b, uint64_t n)
{
	unsigned char bytes[10];
	size_t len = 0;

	while (n >= 0x80) {
		bytes[len++] = (unsigned char)(n | 0x80);
		n >>= 7;
	}
	bytes[len++] = (unsigned char)n;
	ow_bb_put_bytes(b, bytes, len);
}

uint64_t ow_bb_get_number(struct ow_bb_rest *r)
{
	uint64_t n = 0;
	unsigned int shift;

	for (shift = 0; shift < 70 && !r->failed && r->p < r->end; shift += 7) {
		if (shift < 64)
			n |= (uint64_t)(*r->p & 0x7f) << shift;
		if ((*r->p++ & 0x80) == 0)
			return n;
	}
	r->failed = true;
	return 0;
}

const void *ow_bb_get_bytes(struct ow_bb_rest *r, size_t n)
{
	const void *p = r->p;

	if (r->failed || n > (size_t)(r->end - r->p)) {
		r->failed = true;
		return NULL;
	}
	r->p += n;
	return p;
}

/* Small numbers of either sign become small ones. */
static uint64_t fold(uint64_t n)
{
	return (n << 1) ^ (uint64_t)((int64_t)n >> 63);
}

static uint64_t unfold(uint64_t n)
{
	return (n >> 1) ^ (~(n & 1) + 1);
}

/* ---- fields ---- */

static uint64_t load(const char *p, size_t size)
{
	uint64_t n = 0;

	memcpy(&n, p, size); /* little endian, as the tables */
	return n;
}

static void put_time(struct ow_bb_bytes *b, uint64_t t, uint64_t now_ns)
{
	uint64_t ms = t / OW_NS_PER_MS - now_ns / OW_NS_PER_MS;

	ow_bb_put_number(b, t == 0 ? 0 : fold(ms) + 1);
}

static uint64_t get_time(struct ow_bb_rest *r, uint64_t now_ns)
{
	uint64_t n = ow_bb_get_number(r);

	return n == 0 ? 0
		      : (unfold(n - 1) + now_ns / OW_NS_PER_MS) * OW_NS_PER_MS;
}

static void put_field(struct ow_bb_bytes *b, const struct ow_bb_field *f,
		      const char *before, const char *now, uint64_t now_ns)
{
	size_t n;

	switch (f->type) {
	case OW_BB_TEXT:
		n = strnlen(now, f->size);
		ow_bb_put_number(b, n);
		ow_bb_put_bytes(b, now, n);
		break;
	case OW_BB_TIME:
		put_time(b, load(now, f->size), now_ns);
		break;
	default:
		ow_bb_put_number(b, fold(load(now, f->size) -
					 load(before, f->size)));
	}
}

static void get_field(struct ow_bb_rest *r, const struct ow_bb_field *f,
		      char *value, uint64_t now_ns)
{
	const void *text;
	uint64_t n;

	switch (f->type) {
	case OW_BB_TEXT:
		n = ow_bb_get_number(r);
		text = n < f->size ? ow_bb_get_bytes(r, n) : NULL;
		r->failed |= text == NULL;
		memset(value, 0, f->size);
		if (text != NULL)
			memcpy(value, text, n);
		return;
	case OW_BB_TIME:
		n = get_time(r, now_ns);
		break;
	default:
		n = load(value, f->size) + unfold(ow_bb_get_number(r));
	}
	memcpy(value, &n, f->size);
}

static bool same(const struct ow_bb_field *f, const char *a, const char *b)
{
	return f->type == OW_BB_TEXT ? strncmp(a, b, f->size) == 0
				     : memcmp(a, b, f->size) == 0;
}

/* ---- rows ---- */

struct change {
	const struct ow_bb_field *field;
	size_t at;
	unsigned int number;
};

static unsigned int find_changes(const struct ow_bb_shape *shape,
				 const char *before, const char *now,
				 struct change *ret)
{
	unsigned int i, k, number = 0, n = 0;
	const struct ow_bb_field *f;
	size_t at;

	for (i = 0; i < shape->n; i++) {
		f = &shape->fields[i];
		for (k = 0; k < f->count; k++, number++) {
			at = f->at + (size_t)k * f->size;
			if (n < FIELDS_MAX && !same(f, before + at, now + at))
				ret[n++] = (struct change){ f, at, number };
		}
	}
	return n;
}

/* `before` NULL: the row came. */
static void put_row(struct ow_bb_bytes *b, const struct ow_bb_shape *shape,
		    const char *before, const char *now, uint64_t *key,
		    uint64_t now_ns)
{
	static const char none[sizeof(struct ow_bb_offer) * 2];
	struct change c[FIELDS_MAX];
	unsigned int i, n, last = 0;
	const char *from = before != NULL ? before : none;

	n = find_changes(shape, from, now, c);
	if (n == 0 && before != NULL)
		return;
	ow_bb_put_number(b, before != NULL ? CHANGED : CAME);
	ow_bb_put_number(b, ow_bb_key(now) - *key);
	*key = ow_bb_key(now);
	ow_bb_put_number(b, n);
	for (i = 0; i < n; i++) {
		ow_bb_put_number(b, c[i].number - last);
		last = c[i].number;
		put_field(b, c[i].field, from + c[i].at, now + c[i].at, now_ns);
	}
}

void ow_bb_differ(struct ow_bb_bytes *b, const struct ow_bb_state *before,
		  const struct ow_bb_state *now)
{
	int k;

	for (k = 0; k < OW_BB_KINDS; k++) {
		const struct ow_bb_shape *shape = &ow_bb_shapes[k];
		const char *o = before->table[k].rows, *w = now->table[k].rows;
		size_t i = 0, j = 0, n = before->table[k].n,
		       m = now->table[k].n;
		uint64_t key = 0;

		while (i < n || j < m) {
			bool old = i < n && (j == m || ow_bb_key(o) <= ow_bb_key(w));
			bool new = j < m && (i == n || ow_bb_key(w) <= ow_bb_key(o));

			if (new) {
				put_row(b, shape, old ? o : NULL, w, &key,
					now->now_ns);
			} else {
				ow_bb_put_number(b, WENT);
				ow_bb_put_number(b, ow_bb_key(o) - key);
				key = ow_bb_key(o);
			}
			if (old && ++i < n)
				o += shape->size;
			if (new && ++j < m)
				w += shape->size;
		}
		ow_bb_put_number(b, END);
	}
}

/* ---- reading ---- */

/* The field with this number, counted through; NULL: none. */
static const struct ow_bb_field *field_of(const struct ow_bb_shape *shape,
					  uint64_t number, size_t *ret_at)
{
	unsigned int i;

	for (i = 0; i < shape->n; i++) {
		const struct ow_bb_field *f = &shape->fields[i];

		if (number < f->count) {
			*ret_at = f->at + (size_t)number * f->size;
			return f;
		}
		number -= f->count;
	}
	return NULL;
}

static void get_row(struct ow_bb_rest *r, const struct ow_bb_shape *shape,
		    char *row, uint64_t now_ns)
{
	uint64_t n = ow_bb_get_number(r), number = 0;
	const struct ow_bb_field *f;
	size_t at = 0;

	for (; n > 0 && !r->failed; n--) {
		number += ow_bb_get_number(r);
		f = field_of(shape, number, &at);
		r->failed |= f == NULL;
		if (f != NULL)
			get_field(r, f, row + at, now_ns);
	}
}

/* The old rows before `key`, which did not change. */
static size_t keep_until(struct ow_bb_state *to, int k,
			 const struct ow_bb_table *old, size_t i, uint64_t key,
			 bool *ret_failed)
{
	size_t size = ow_bb_shapes[k].size;
	const char *row;
	void *copy;

	for (; i < old->n; i++) {
		row = old->rows + i * size;
		if (ow_bb_key(row) >= key)
			break;
		copy = ow_bb_add(to, (enum ow_bb_kind)k, ow_bb_key(row));
		if (copy == NULL) {
			*ret_failed = true;
			break;
		}
		memcpy(copy, row, size);
	}
	return i;
}

static int apply_table(struct ow_bb_state *to, int k,
		       const struct ow_bb_table *old, struct ow_bb_rest *r)
{
	const struct ow_bb_shape *shape = &ow_bb_shapes[k];
	uint64_t op, key = 0;
	bool short_of = false, first = true;
	size_t i = 0;
	char *row;

	while ((op = ow_bb_get_number(r)) != END && !r->failed) {
		uint64_t step = ow_bb_get_number(r);
		bool there;

		if (op > WENT || (step == 0 && !first) || key + step < key)
			return -EBADMSG;
		first = false;
		key += step;
		i = keep_until(to, k, old, i, key, &short_of);
		there = i < old->n &&
			ow_bb_key(old->rows + i * shape->size) == key;
		if (there == (op == CAME) || to->table[k].n >= ROWS_MAX)
			return -EBADMSG;
		row = op == WENT ? NULL
				 : ow_bb_add(to, (enum ow_bb_kind)k, key);
		if ((row == NULL && op != WENT) || short_of)
			return -ENOMEM;
		if (op == CHANGED)
			memcpy(row, old->rows + i * shape->size, shape->size);
		if (row != NULL)
			get_row(r, shape, row, to->now_ns);
		i += there;
	}
	keep_until(to, k, old, i, UINT64_MAX, &short_of);
	return r->failed ? -EBADMSG : short_of ? -ENOMEM : 0;
}

int ow_bb_apply(struct ow_bb_state *s, struct ow_bb_rest *r)
{
	struct ow_bb_table old;
	int k, e = 0;

	for (k = 0; k < OW_BB_KINDS && e == 0; k++) {
		old = s->table[k];
		memset(&s->table[k], 0, sizeof(s->table[k]));
		e = apply_table(s, k, &old, r);
		free(old.rows);
	}
	return e;
}

/* ---- details ---- */

static bool same_process(const struct ow_bb_state *before,
			 const struct ow_bb_state *now, uint64_t srvid)
{
	const struct ow_bb_server *a = ow_bb_find(before, OW_BB_SERVER, srvid);
	const struct ow_bb_server *b = ow_bb_find(now, OW_BB_SERVER, srvid);

	return a != NULL && b != NULL && a->v.pid == b->v.pid &&
	       a->v.start == b->v.start;
}

static void hold_row(const struct ow_bb_shape *shape, const char *before,
		     char *now)
{
	const struct ow_bb_field *f;
	unsigned int i;

	for (i = 0; i < shape->n; i++) {
		f = &shape->fields[i];
		if (f->detail)
			memcpy(now + f->at, before + f->at,
			       (size_t)f->size * f->count);
	}
}

/* Is it the row of the same process, client, ...? */
static bool still(int k, const struct ow_bb_state *before,
		  const struct ow_bb_state *now, const char *a, const char *b)
{
	switch (k) {
	case OW_BB_SERVER:
		return same_process(before, now, ow_bb_key(a));
	case OW_BB_OFFER:
		return same_process(before, now, ow_bb_key(a) >> 32) &&
		       ((const struct ow_bb_offer *)a)->v.svc ==
			   ((const struct ow_bb_offer *)b)->v.svc;
	case OW_BB_CLIENT:
		return ((const struct ow_bb_client *)a)->v.gen ==
		       ((const struct ow_bb_client *)b)->v.gen;
	default:
		return true;
	}
}

void ow_bb_hold_back(const struct ow_bb_state *before, struct ow_bb_state *now)
{
	int k;

	for (k = 0; k < OW_BB_KINDS; k++) {
		size_t size = ow_bb_shapes[k].size, i = 0, j = 0;
		const struct ow_bb_table *o = &before->table[k];
		struct ow_bb_table *w = &now->table[k];

		while (i < o->n && j < w->n) {
			const char *a = o->rows + i * size;
			char *b = w->rows + j * size;
			uint64_t x = ow_bb_key(a), y = ow_bb_key(b);

			if (x == y && still(k, before, now, a, b))
				hold_row(&ow_bb_shapes[k], a, b);
			i += x <= y;
			j += y <= x;
		}
	}
}
