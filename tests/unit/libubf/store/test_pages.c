/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pages.c - random operations on a large buffer and on a model of it
 *
 * As test_model.c, but with thousands of entries, so that the directory becomes
 * paged and flat again. A value is computed from its id and a serial number,
 * which is all the model keeps. Each step checks a few entries, some check all.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/store/layout.h"

#define MODEL_MAX 30000
#define TEXT_MAX 40

struct item {
	BFLDID id;
	uint32_t serial;
};

struct world {
	UBFH *p;
	uint64_t seed;
	uint32_t ids;		/* numbers of fields */
	uint32_t n, serial;
	long full, paged, flat;	/* steps without room; in each form */
	struct item items[MODEL_MAX];
};

static BFLDID random_id(struct world *w)
{
	static const int types[] = { BFLD_SHORT, BFLD_LONG, BFLD_STRING,
				     BFLD_CARRAY };

	return ID(types[rnd_below(&w->seed, 4)],
		  1 + (int)rnd_below(&w->seed, w->ids));
}

/* Write the value of an item; returns its length. */
static BFLDLEN value_of(const struct item *it, char *to)
{
	int type = Bfldtype(it->id), n;
	long l = it->serial;

	memset(to, 0, TEXT_MAX);
	if (type == BFLD_SHORT || type == BFLD_LONG) {
		memcpy(to, &l, sizeof(l));
		return type == BFLD_SHORT ? 2 : 8;
	}
	n = sprintf(to, "%0*u", 1 + (int)(it->serial * 7 % 20), it->serial);
	return type == BFLD_STRING ? n + 1 : n;
}

static uint32_t lower(const struct world *w, BFLDID id)
{
	uint32_t lo = 0, hi = w->n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (w->items[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void insert(struct world *w, uint32_t at, const struct item *it)
{
	assert_true(w->n < MODEL_MAX);
	memmove(w->items + at + 1, w->items + at,
		(w->n - at) * sizeof(*it));
	w->items[at] = *it;
	w->n++;
}

static void drop(struct world *w, uint32_t at, uint32_t k)
{
	memmove(w->items + at, w->items + at + k,
		(w->n - at - k) * sizeof(*w->items));
	w->n -= k;
}

static void assert_item(struct world *w, uint32_t at)
{
	const struct item *it = w->items + at;
	BFLDOCC occ = (BFLDOCC)(at - lower(w, it->id));
	char want[TEXT_MAX], *v;
	BFLDLEN len, n = value_of(it, want);

	v = Bfind(w->p, it->id, occ, &len);
	assert_non_null(v);
	assert_int_equal(len, n);
	assert_memory_equal(v, want, (size_t)n);
}

static void assert_all(struct world *w)
{
	Bnext_state_t state = { 0 };
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	uint32_t i;

	assert_int_equal(ow_ubf_check(w->p, (size_t)Bused(w->p)), 0);
	assert_int_equal(Bnum(w->p), w->n);
	for (i = 0; i < w->n; i++) {
		assert_int_equal(Bnext2(&state, w->p, &id, &occ, NULL, NULL,
					NULL), 1);
		assert_int_equal(id, w->items[i].id);
		assert_int_equal(occ, i - lower(w, id));
		assert_item(w, i);
	}
	assert_int_equal(Bnext2(&state, w->p, &id, &occ, NULL, NULL, NULL),
			 0);
}

static void assert_some(struct world *w)
{
	BFLDID id = random_id(w);
	int i;

	assert_int_equal(Bnum(w->p), w->n);
	assert_int_equal(Boccur(w->p, id), lower(w, id + 1) - lower(w, id));
	for (i = 0; i < 3 && w->n > 0; i++)
		assert_item(w, rnd_below(&w->seed, w->n));
}

static void no_room(struct world *w)
{
	assert_int_equal(Berror, BNOSPACE);
	w->full++;
}

static void step_add(struct world *w)
{
	struct item it = { random_id(w), w->serial++ };
	char v[TEXT_MAX];
	BFLDLEN len = value_of(&it, v);

	if (Badd(w->p, it.id, v, len) < 0)
		no_room(w);
	else
		insert(w, lower(w, it.id + 1), &it);
}

static void step_change(struct world *w)
{
	uint32_t at = rnd_below(&w->seed, w->n + 1), lo;
	struct item it = { 0, w->serial++ };
	char v[TEXT_MAX];
	BFLDLEN len;

	if (at == w->n)
		return;
	it.id = w->items[at].id;
	lo = lower(w, it.id);
	len = value_of(&it, v);
	if (Bchg(w->p, it.id, (BFLDOCC)(at - lo), v, len) < 0)
		no_room(w);
	else
		w->items[at] = it;
}

static void step_delete(struct world *w)
{
	uint32_t at = rnd_below(&w->seed, w->n + 1), lo;

	if (at == w->n)
		return;
	lo = lower(w, w->items[at].id);
	assert_int_equal(Bdel(w->p, w->items[at].id, (BFLDOCC)(at - lo)), 0);
	drop(w, at, 1);
}

static void step_delete_all(struct world *w)
{
	BFLDID id = random_id(w);
	uint32_t lo = lower(w, id), n = lower(w, id + 1) - lo;

	assert_int_equal(Bdelall(w->p, id), n > 0 ? 0 : -1);
	drop(w, lo, n);
}

/* Copy some fields to another buffer and append them again. */
static void step_concat(struct world *w)
{
	UBFH *q = Balloc(20, 20 * TEXT_MAX);
	struct item it[20];
	char v[TEXT_MAX];
	int i;

	for (i = 0; i < 20; i++) {
		it[i] = (struct item){ random_id(w), w->serial++ };
		assert_int_equal(Badd(q, it[i].id, v, value_of(&it[i], v)), 0);
	}
	if (Bconcat(w->p, q) < 0) {
		no_room(w);
	} else {
		for (i = 0; i < 20; i++)
			insert(w, lower(w, it[i].id + 1), &it[i]);
	}
	Bfree(q);
}

/* Project, copy and compare a paged buffer. */
static void step_whole(struct world *w)
{
	BFLDID id = random_id(w), list[] = { id, BBADFLDID };
	long size = Bsizeof(w->p);
	UBFH *q = malloc((size_t)size);

	assert_non_null(q);
	assert_int_equal(Binit(q, (BFLDLEN)size), 0);
	assert_int_equal(Bprojcpy(q, w->p, list), 0);
	assert_int_equal(Bnum(q), Boccur(w->p, id));
	assert_int_equal(Bsubset(w->p, q), 1);
	assert_int_equal(Bupdate(q, w->p), 0);
	assert_int_equal(Bcmp(q, w->p), 0);
	assert_int_equal(Bcpy(q, w->p), 0);
	assert_int_equal(Bjoin(q, w->p), 0);
	assert_int_equal(Bcmp(q, w->p), 0);
	assert_int_equal(Bdelete(q, list), Bpres(w->p, id, 0) ? 0 : -1);
	assert_int_equal(Bnum(q) + Boccur(w->p, id), Bnum(w->p));
	free(q);
}

/* Copy the used bytes to other memory and adopt them. */
static void step_move(struct world *w)
{
	size_t size = (size_t)Bsizeof(w->p), used = (size_t)Bused(w->p);
	UBFH *p = malloc(size);

	assert_non_null(p);
	assert_int_equal(ow_ubf_check(w->p, used), 0);
	memcpy(p, w->p, used);
	assert_int_equal(ow_ubf_adopt(p, used, size), 0);
	Bfree(w->p);
	w->p = p;
}

/* `adds` of 100 steps add; the others delete and change. */
static void step(struct world *w, uint32_t adds)
{
	uint32_t what = rnd_below(&w->seed, 100), rare;

	if (what < adds)
		step_add(w);
	else if (what < adds + (100 - adds) / 2)
		step_delete(w);
	else
		step_change(w);
	rare = rnd_below(&w->seed, 3000);
	if (rare == 0)
		step_move(w);
	else if (rare == 1)
		step_concat(w);
	else if (rare == 2)
		step_whole(w);
	else if (rare == 3 && w->ids > 100)
		step_delete_all(w);
	else if (rare == 4)
		assert_all(w);
	if (ow_ubf_paged(w->p))
		w->paged++;
	else
		w->flat++;
	assert_some(w);
}

/* Grow, stay, shrink to nothing. */
static void run(struct world *w, uint64_t seed, size_t size, uint32_t ids)
{
	static const uint32_t adds[] = { 90, 50, 20 };
	long steps = getenv("OW_LONG") != NULL ? 400000 : 14000, i;
	int phase;

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->ids = ids;
	w->p = malloc(size);
	assert_non_null(w->p);
	assert_int_equal(Binit(w->p, (BFLDLEN)size), 0);
	for (phase = 0; phase < 3; phase++) {
		for (i = 0; i < steps && w->n < MODEL_MAX - 40; i++)
			step(w, adds[phase]);
		assert_all(w);
	}
	while (w->n > 0)
		step(w, 0);
	assert_all(w);
	assert_int_equal(Bused(w->p), OW_UBF_PLAIN_BASE);
	Bfree(w->p);
}

static void few_ids_with_many_occurrences_behave_as_model(void **state)
{
	static struct world w;

	run(&w, 1, 4000000, 3);
	assert_true(w.paged > 1000 && w.flat > 1000 && w.full == 0);
}

static void many_ids_behave_as_model(void **state)
{
	static struct world w;

	run(&w, 2, 4000000, 5000);
	assert_true(w.paged > 1000 && w.flat > 1000 && w.full == 0);
}

/* First there is no room for half-empty pages, then no room at all. */
static void tight_large_buffers_behave_as_model(void **state)
{
	static struct world w;
	size_t size;

	for (size = 110000; size < 200000; size += 30000) {
		run(&w, size, size, 40);
		assert_true(w.full > 0 && w.flat > 0);
	}
}

static BFLDID column(int k)
{
	return ID(k % 2 ? BFLD_LONG : BFLD_STRING, 1 + k);
}

/* Rows of some fields, added in descending order of their ids. */
static void rows_are_paged_and_read_back(void **state)
{
	UBFH *p = Balloc(40000, 400000);
	long row, l;
	int k;

	for (row = 0; row < 5000; row++) {
		for (k = 8; k-- > 0;)
			assert_int_equal(CBadd(p, column(k), (char *)&row, 0,
					       BFLD_LONG), 0);
	}
	assert_true(ow_ubf_paged(p));
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	for (row = 0; row < 5000; row++) {
		for (k = 0; k < 8; k++) {
			assert_int_equal(CBget(p, column(k), (BFLDOCC)row,
					       (char *)&l, NULL, BFLD_LONG),
					 0);
			assert_int_equal(l, row);
		}
	}
	Bfree(p);
}

/* Occurrences far beyond the last are added to pages, too. */
static void change_far_beyond_fills_with_defaults(void **state)
{
	UBFH *p = Balloc(40000, 100000);
	long l;
	int i;

	for (i = 0; i < 9000; i++)
		assert_int_equal(Badd(p, i % 3 ? F_LONG2 : F_LONG,
				      (char *)&l, 0), 0);
	assert_true(ow_ubf_paged(p));
	l = 7;
	assert_int_equal(Bchg(p, F_LONG, 5000, (char *)&l, 0), 0);
	assert_int_equal(Boccur(p, F_LONG), 5001);
	assert_int_equal(Boccur(p, F_LONG2), 6000);
	assert_int_equal(Bget(p, F_LONG, 4999, (char *)&l, NULL), 0);
	assert_int_equal(l, 0);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_ids_with_many_occurrences_behave_as_model),
		cmocka_unit_test(many_ids_behave_as_model),
		cmocka_unit_test(tight_large_buffers_behave_as_model),
		cmocka_unit_test(rows_are_paged_and_read_back),
		cmocka_unit_test(change_far_beyond_fills_with_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
