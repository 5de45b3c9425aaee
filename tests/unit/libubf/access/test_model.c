/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_model.c - random operations on a buffer and on a simple model of it
 *
 * The model is an array of (id, value) in order. Each of the millions of steps
 * checks its own result; after every few steps the buffer must pass the check
 * for foreign bytes and have the fields of the model. A step that finds no room
 * must leave the buffer as it was, which is checked at once.
 */
#include "tests/unit/libubf/ubf_test.h"

#include "libubf/store/check.h"
#include "libubf/store/header.h"

#define VALUE_MAX 120
#define MODEL_MAX 4096
#define CHECK_EVERY 16	/* steps */

struct item {
	BFLDID id;
	int len;
	char value[VALUE_MAX];
};

struct model {
	int n;
	struct item items[MODEL_MAX];
};

struct world {
	UBFH *p;
	struct model m;
	uint64_t seed;
	long full;	/* steps that found no room */
};

static BFLDID random_id(uint64_t *seed)
{
	static const int types[] = { BFLD_SHORT, BFLD_LONG, BFLD_CHAR,
				     BFLD_FLOAT, BFLD_DOUBLE, BFLD_STRING,
				     BFLD_STRING, BFLD_CARRAY, BFLD_PTR };

	return ID(types[rnd_below(seed, 9)], 1 + (int)rnd_below(seed, 6));
}

/* No -0.0 and no NaN: the values are compared as bytes. */
static void random_value(uint64_t *seed, struct item *it)
{
	int type = Bfldtype(it->id), i;
	static const int sizes[] = { 2, 8, 1, 4, 8, 0, 0, 0, 0, 8 };

	it->len = sizes[type];
	if (type == BFLD_STRING || type == BFLD_CARRAY)
		it->len = (int)rnd_below(seed, rnd_below(seed, 2) ? 12
								  : VALUE_MAX);
	for (i = 0; i < it->len; i++)
		it->value[i] = (char)('a' + rnd_below(seed, 26));
	if (type == BFLD_STRING) {
		it->len += it->len == 0;
		it->value[it->len - 1] = '\0';
	}
}

static int model_lower(const struct model *m, BFLDID id)
{
	int i = 0;

	while (i < m->n && m->items[i].id < id)
		i++;
	return i;
}

static int model_count(const struct model *m, BFLDID id)
{
	int i = model_lower(m, id), n = 0;

	while (i + n < m->n && m->items[i + n].id == id)
		n++;
	return n;
}

static void model_insert(struct model *m, int at, const struct item *it)
{
	assert_true(m->n < MODEL_MAX);
	memmove(m->items + at + 1, m->items + at,
		(size_t)(m->n - at) * sizeof(*it));
	m->items[at] = *it;
	m->n++;
}

static void model_remove(struct model *m, int at, int k)
{
	memmove(m->items + at, m->items + at + k,
		(size_t)(m->n - at - k) * sizeof(*m->items));
	m->n -= k;
}

static void assert_same(UBFH *p, const struct model *m)
{
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	BFLDLEN len;
	char *v = NULL;
	Bnext_state_t state = { 0 };
	int i;

	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	assert_int_equal(Bnum(p), m->n);
	for (i = 0; i < m->n; i++) {
		const struct item *it = m->items + i;
		int occ_m = i - model_lower(m, it->id);

		assert_int_equal(Bnext2(&state, p, &id, &occ, NULL, &len, &v),
				 1);
		assert_int_equal(id, it->id);
		assert_int_equal(occ, occ_m);
		assert_int_equal(len, it->len);
		assert_memory_equal(v, it->value, (size_t)len);
	}
	assert_int_equal(Bnext2(&state, p, &id, &occ, NULL, &len, &v), 0);
}

/* A step failed: Berror must be BNOSPACE. */
static void no_room(struct world *w)
{
	assert_int_equal(Berror, BNOSPACE);
	w->full++;
}

static void step_add(struct world *w)
{
	struct item it = { .id = random_id(&w->seed) };

	random_value(&w->seed, &it);
	if (Badd(w->p, it.id, it.value, it.len) < 0)
		no_room(w);
	else
		model_insert(&w->m, model_lower(&w->m, it.id + 1), &it);
}

static void step_change(struct world *w)
{
	struct item it = { .id = random_id(&w->seed) }, dflt = { 0 };
	int n = model_count(&w->m, it.id), lo = model_lower(&w->m, it.id);
	int occ = (int)rnd_below(&w->seed, (uint32_t)n + 3);

	random_value(&w->seed, &it);
	if (Bchg(w->p, it.id, occ, it.value, it.len) < 0) {
		no_room(w);
		return;
	}
	dflt = it;
	memset(dflt.value, 0, sizeof(dflt.value));
	if (Bfldtype(it.id) == BFLD_STRING)
		dflt.len = 1;
	if (Bfldtype(it.id) == BFLD_CARRAY)
		dflt.len = 0;
	for (; n <= occ; n++)
		model_insert(&w->m, lo + n, &dflt);
	w->m.items[lo + occ] = it;
}

static void step_delete(struct world *w)
{
	BFLDID id = random_id(&w->seed);
	int n = model_count(&w->m, id), lo = model_lower(&w->m, id);
	int occ = (int)rnd_below(&w->seed, (uint32_t)n + 1);

	if (occ < n) {
		assert_int_equal(Bdel(w->p, id, occ), 0);
		model_remove(&w->m, lo + occ, 1);
		return;
	}
	assert_int_equal(Bdel(w->p, id, occ), -1);
	assert_int_equal(Berror, BNOTPRES);
}

static void step_delete_all(struct world *w)
{
	BFLDID id = random_id(&w->seed);
	int n = model_count(&w->m, id);

	assert_int_equal(Bdelall(w->p, id), n > 0 ? 0 : -1);
	model_remove(&w->m, model_lower(&w->m, id), n);
}

static void step_project(struct world *w)
{
	BFLDID list[20] = { 0 };
	int keep = (int)rnd_below(&w->seed, 2), i, k, listed;

	for (i = 0; i < (keep ? 15 : 4); i++)
		list[i] = random_id(&w->seed);
	for (i = 0, listed = 0; i < w->m.n; i++)
		for (k = 0; list[k] != BBADFLDID; k++)
			listed |= w->m.items[i].id == list[k];
	if (keep)
		assert_int_equal(Bproj(w->p, list), 0);
	else
		assert_int_equal(Bdelete(w->p, list), listed ? 0 : -1);
	for (i = w->m.n - 1; i >= 0; i--) {
		listed = 0;
		for (k = 0; list[k] != BBADFLDID; k++)
			listed |= list[k] == w->m.items[i].id;
		if (listed != keep)
			model_remove(&w->m, i, 1);
	}
}

/* Read present and absent occurrences. */
static void step_get(struct world *w)
{
	BFLDID id = random_id(&w->seed);
	int n = model_count(&w->m, id), lo = model_lower(&w->m, id);
	int occ = (int)rnd_below(&w->seed, (uint32_t)n + 1);
	char buf[VALUE_MAX];
	BFLDLEN len = sizeof(buf);

	assert_int_equal(Boccur(w->p, id), n);
	assert_int_equal(Bpres(w->p, id, occ), occ < n);
	if (occ == n) {
		assert_int_equal(Bget(w->p, id, occ, buf, &len), -1);
		return;
	}
	assert_int_equal(Bget(w->p, id, occ, buf, &len), 0);
	assert_int_equal(len, w->m.items[lo + occ].len);
	assert_memory_equal(buf, w->m.items[lo + occ].value, (size_t)len);
	assert_int_equal(Blen(w->p, id, occ), len);
}

static void model_merge(struct model *m, const struct model *s, int update)
{
	int i, occ = 0, lo, n;

	for (i = 0; i < s->n; i++) {
		const struct item *it = s->items + i;

		occ = i > 0 && s->items[i - 1].id == it->id ? occ + 1 : 0;
		lo = model_lower(m, it->id);
		n = model_count(m, it->id);
		if (update && occ < n)
			m->items[lo + occ] = *it;
		else
			model_insert(m, lo + n, it);
	}
}

/* Occurrences that both have become those of s; others are removed or (outer)
 * kept. */
static void model_join(struct model *m, const struct model *s, int outer)
{
	int i, occ;

	for (i = m->n - 1; i >= 0; i--) {
		BFLDID id = m->items[i].id;

		occ = i - model_lower(m, id);
		if (occ < model_count(s, id))
			m->items[i] = s->items[model_lower(s, id) + occ];
		else if (!outer)
			model_remove(m, i, 1);
	}
}

/* Make another buffer and its model, in random order or in order of ids. */
static UBFH *make_other(struct world *w, struct model *other)
{
	uint32_t i, n = rnd_below(&w->seed, 30);
	UBFH *q = Balloc(30, 30 * VALUE_MAX);
	Bfld_loc_info_t loc = { 0 };
	int fast = (int)rnd_below(&w->seed, 2), k;

	assert_non_null(q);
	other->n = 0;
	for (i = 0; i < n; i++) {
		struct item it = { .id = random_id(&w->seed) };

		random_value(&w->seed, &it);
		if (!fast)
			assert_int_equal(Badd(q, it.id, it.value, it.len), 0);
		model_insert(other, model_lower(other, it.id + 1), &it);
	}
	for (k = 0; fast && k < other->n; k++) {
		struct item *it = other->items + k;

		assert_int_equal(Baddfast(q, it->id, it->value, it->len, &loc),
				 0);
	}
	return q;
}

static void step_merge(struct world *w)
{
	static int (*const ops[])(UBFH *, UBFH *) = { Bconcat, Bupdate, Bjoin,
						      Bojoin };
	static struct model other;
	UBFH *q = make_other(w, &other);
	uint32_t op = rnd_below(&w->seed, 4);

	assert_same(q, &other);
	if (ops[op](w->p, q) < 0)
		no_room(w);
	else if (op < 2)
		model_merge(&w->m, &other, op == 1);
	else
		model_join(&w->m, &other, op == 3);
	Bfree(q);
}

static int model_subset(const struct model *m, const struct model *s)
{
	int i, k, occ;

	for (i = 0; i < s->n; i++) {
		const struct item *it = s->items + i;

		occ = i - model_lower(s, it->id);
		if (occ >= model_count(m, it->id))
			return 0;
		k = model_lower(m, it->id) + occ;
		if (m->items[k].len != it->len ||
		    memcmp(m->items[k].value, it->value, (size_t)it->len) != 0)
			return 0;
	}
	return 1;
}

/* Compare the buffer with a projection of it, sometimes with one value
 * changed. */
static void step_compare(struct world *w)
{
	static struct model other;
	UBFH *q = Balloc(MODEL_MAX, 220000);
	BFLDID list[12] = { 0 };
	int i, k, listed, same;

	for (i = 0; i < 11; i++)
		list[i] = random_id(&w->seed);
	assert_int_equal(Bcpy(q, w->p), 0);
	assert_int_equal(Bproj(q, list), 0);
	other.n = 0;
	for (i = 0; i < w->m.n; i++) {
		listed = 0;
		for (k = 0; list[k] != BBADFLDID; k++)
			listed |= list[k] == w->m.items[i].id;
		if (listed)
			model_insert(&other, other.n, w->m.items + i);
	}
	if (other.n > 0 && rnd_below(&w->seed, 2)) {
		i = (int)rnd_below(&w->seed, (uint32_t)other.n);
		random_value(&w->seed, other.items + i);
		assert_int_equal(Bchg(q, other.items[i].id,
				      i - model_lower(&other,
						      other.items[i].id),
				      other.items[i].value,
				      other.items[i].len), 0);
	}
	assert_same(q, &other);
	same = model_subset(&w->m, &other) && other.n == w->m.n;
	assert_int_equal(Bsubset(w->p, q), model_subset(&w->m, &other));
	assert_int_equal(Bcmp(w->p, q) == 0, same);
	assert_int_equal(Bcmp(q, w->p), -Bcmp(w->p, q));
	Bfree(q);
}

/* Copy the used bytes to other memory, just large enough, and adopt them. */
static void step_move(struct world *w)
{
	size_t size = (size_t)Bsizeof(w->p), used = (size_t)Bused(w->p);
	UBFH *p = malloc(size);

	assert_non_null(p);
	memcpy(p, w->p, used);
	assert_int_equal(Bfree(w->p), 0);
	assert_int_equal(ow_ubf_adopt(p, used, size), 0);
	w->p = p;
}

static void step(struct world *w)
{
	uint32_t what = rnd_below(&w->seed, 100);

	if (what < 38)
		step_add(w);
	else if (what < 58)
		step_change(w);
	else if (what < 78)
		step_delete(w);
	else if (what < 95)
		step_get(w);
	else if (what < 96)
		rnd_below(&w->seed, 3) == 0 ? step_compare(w) : step_merge(w);
	else if (what < 98)
		step_move(w);
	else if (what < 99)
		step_delete_all(w);
	else if (rnd_below(&w->seed, 4) == 0)
		step_project(w);
}

static void run(uint64_t seed, size_t size, long steps, int want_full)
{
	static struct world w;
	long i, full;

	memset(&w, 0, sizeof(w));
	w.seed = seed;
	w.p = malloc(size);
	assert_non_null(w.p);
	assert_int_equal(Binit(w.p, (BFLDLEN)size), 0);
	for (i = 0; i < steps; i++) {
		full = w.full;
		step(&w);
		if (i % CHECK_EVERY == 0 || w.full != full)
			assert_same(w.p, &w.m);
	}
	assert_same(w.p, &w.m);
	assert_int_equal(w.full > 0, want_full);
	Bfree(w.p);
}

static void buffer_with_room_behaves_as_model(void **state)
{
	run(1, 200000, 200000, 0);
}

static void tight_buffers_behave_as_model(void **state)
{
	uint64_t seed;

	for (seed = 2; seed < 42; seed++)
		run(seed, 200 + 60 * seed, 60000, 1);
}

/* Add fields at both ends and in the middle until the buffer is full. */
static void a_full_buffer_keeps_all_added_fields(void **state)
{
	static struct world w;
	uint64_t seed = 99;

	memset(&w, 0, sizeof(w));
	w.seed = seed;
	w.p = Balloc(100, 2000);
	assert_non_null(w.p);
	while (w.full < 100) {
		step_add(&w);
		assert_same(w.p, &w.m);
	}
	assert_true(w.m.n >= 100);
	Bfree(w.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_with_room_behaves_as_model),
		cmocka_unit_test(tight_buffers_behave_as_model),
		cmocka_unit_test(a_full_buffer_keeps_all_added_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
