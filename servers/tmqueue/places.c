/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - messages of a damaged queue space find their places again
 */
#include "servers/tmqueue/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmqueue/message.h"

/* Where a table says that a message is. */
struct at {
	uint64_t number, due_ns;
	uint32_t tries;
	enum ow_mq_state state;
	bool used;
};

struct places {
	struct store *s;
	struct queues queues;
	struct at *all;
	size_t n, allocated;
	uint64_t *lost; /* messages that have no one place */
	size_t n_lost;
	uint64_t *branches; /* their numbers */
	size_t n_branches;
};

static int add(struct places *p, const struct at *a)
{
	struct at *more;

	if (p->n == p->allocated) {
		more =
		    realloc(p->all, (p->allocated * 2 + 1024) * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		p->all = more;
		p->allocated = p->allocated * 2 + 1024;
	}
	p->all[p->n++] = *a;
	return 0;
}

/* The number of a message is the end of a key. */
static uint64_t end_of(const MDB_val *key)
{
	return store_from_be64((const uint8_t *)key->mv_data + key->mv_size -
			       8);
}

static bool has_branch(const struct places *p, const MDB_val *key)
{
	uint64_t number = store_from_be64(key->mv_data);
	size_t i;

	for (i = 0; i < p->n_branches; i++)
		if (p->branches[i] == number)
			return true;
	return false;
}

static int note_number(uint64_t **all, size_t *n, uint64_t number)
{
	uint64_t *more = realloc(*all, (*n + 1) * sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	*all = more;
	more[(*n)++] = number;
	return 0;
}

/* A branch begins with its number (branch.c). */
static int read_branches(struct places *p)
{
	MDB_cursor *c = NULL;
	MDB_val key, data;
	uint64_t number;
	int r = store_seek(p->s, p->s->branch, "", 1, false, &c, &key, &data);

	while (r == 0) {
		memcpy(&number, data.mv_data, sizeof(number));
		if (number > p->s->last_branch)
			p->s->last_branch = number;
		r = note_number(&p->branches, &p->n_branches, number);
		if (r == 0)
			r = store_step(p->s, c, false, &key, &data);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == STORE_ABSENT ? 0 : r;
}

/* `order` has tries; `due` a time and tries (message.c); `work` a branch. */
static bool read_place(struct places *p, MDB_dbi table, const MDB_val *key,
		       const MDB_val *data, struct at *a)
{
	memset(a, 0, sizeof(*a));
	if (key->mv_size < 8)
		return false;
	a->number = end_of(key);
	a->state = OW_MQ_LOCKED;
	if (table == p->s->order && data->mv_size == sizeof(a->tries)) {
		memcpy(&a->tries, data->mv_data, sizeof(a->tries));
		a->state = OW_MQ_READY;
	} else if (table == p->s->due && data->mv_size == 16) {
		memcpy(&a->number, key->mv_data, sizeof(a->number));
		memcpy(&a->due_ns, data->mv_data, sizeof(a->due_ns));
		memcpy(&a->tries, (const char *)data->mv_data + 8,
		       sizeof(a->tries));
		a->state = OW_MQ_DELAYED;
	} else {
		return table == p->s->work && key->mv_size == 16 &&
		       has_branch(p, key);
	}
	return true;
}

static int read_table(struct places *p, MDB_dbi table, const void *from,
		      size_t len)
{
	MDB_cursor *c = NULL;
	MDB_val key, data;
	struct at a;
	int r = store_seek(p->s, table, from, len, false, &c, &key, &data);

	while (r == 0) {
		if (read_place(p, table, &key, &data, &a))
			r = add(p, &a);
		if (r == 0)
			r = store_step(p->s, c, false, &key, &data);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == STORE_ABSENT ? 0 : r;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct at *)a)->number;
	uint64_t y = ((const struct at *)b)->number;

	return x < y ? -1 : x > y;
}

/* The one place of a message; NULL: it has none, or two. */
static struct at *find(struct places *p, uint64_t number)
{
	struct at key = { .number = number };
	struct at *a = bsearch(&key, p->all, p->n, sizeof(key), by_number);

	if (a == NULL)
		return NULL;
	while (a > p->all && a[-1].number == number)
		a--;
	a->used = true;
	if (a + 1 == p->all + p->n || a[1].number != number)
		return a;
	for (; a < p->all + p->n && a->number == number; a++)
		a->used = true;
	return NULL;
}

/* ---- messages ---- */

static int keep(struct places *p, struct queue *q, const struct message *m,
		const struct at *a)
{
	q->dirty = true;
	q->now.queued++;
	q->now.bytes += m->head.len;
	q->now.locked += a->state == OW_MQ_LOCKED;
	return a->state == OW_MQ_LOCKED
		       ? 0
		       : message_show(p->s, q, m, a->due_ns, a->tries);
}

static int place_all(struct places *p, struct places_counted *ret)
{
	uint64_t number = 0;
	MDB_cursor *c = NULL;
	struct message m;
	MDB_val key, data;
	struct queue *q;
	struct at *a;
	int r = store_seek(p->s, p->s->message, &number, sizeof(number), false,
			   &c, &key, &data);

	while (r == 0) {
		memcpy(&number, key.mv_data, sizeof(number));
		p->s->last = number > p->s->last ? number : p->s->last;
		a = find(p, number);
		r = message_read(p->s, number, &m);
		q = r == 0 ? queues_by_id(&p->queues, m.head.queue) : NULL;
		if (r == 0 && a != NULL && q != NULL) {
			r = keep(p, q, &m, a);
			ret->kept++;
		} else if (r == 0) {
			r = note_number(&p->lost, &p->n_lost, number);
		}
		if (r == 0)
			r = store_step(p->s, c, false, &key, &data);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == STORE_ABSENT ? 0 : r;
}

/* What branches have done to it does not count. */
static int drop_work(struct store *s, uint64_t number)
{
	uint8_t from[16] = { 0 }, key[16];
	MDB_cursor *c = NULL;
	MDB_val k, data;
	bool is = false;
	int r = store_seek(s, s->work, from, sizeof(from), false, &c, &k,
			   &data);

	while (r == 0 && !is) {
		is = k.mv_size == sizeof(key) && end_of(&k) == number;
		if (is)
			memcpy(key, k.mv_data, sizeof(key));
		else
			r = store_step(s, c, false, &k, &data);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return is ? store_del(s, s->work, key, sizeof(key))
		  : r == STORE_ABSENT ? 0 : r;
}

static int put_aside(struct places *p, struct queue *q, uint64_t number)
{
	struct message m;
	char *copy;
	size_t len;
	int r = message_read(p->s, number, &m);

	if (r != 0)
		return r;
	len = m.head.client_len + m.head.len;
	copy = malloc(len + 1);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, m.client, len);
	m.client = copy;
	m.payload = copy + m.head.client_len;
	m.head.rank = 0;
	m.order.magic = 0;
	r = drop_work(p->s, number);
	if (r == 0)
		r = message_write(p->s, &p->queues, q, &m);
	if (r == 0)
		r = message_show(p->s, q, &m, 0, 0);
	free(copy);
	return r;
}

/* ---- all ---- */

static int read_places(struct places *p)
{
	static const uint8_t zeros[16];
	int r = read_branches(p);

	if (r == 0)
		r = read_table(p, p->s->order, zeros, 1);
	if (r == 0)
		r = read_table(p, p->s->due, zeros, 8);
	if (r == 0)
		r = read_table(p, p->s->work, zeros, 1);
	if (r == 0 && p->n > 0)
		qsort(p->all, p->n, sizeof(*p->all), by_number);
	return r;
}

/* These are made anew from messages. */
static int empty_tables(struct store *s)
{
	int r = mdb_drop(s->txn, s->order, 0);

	if (r == 0)
		r = mdb_drop(s->txn, s->corr, 0);
	if (r == 0)
		r = mdb_drop(s->txn, s->due, 0);
	if (r == 0)
		r = mdb_drop(s->txn, s->timed, 0);
	return store_result(r);
}

static int drop_gone(struct places *p, struct places_counted *ret)
{
	size_t i;
	int r = 0;

	for (i = 0; i < p->n && r == 0; i++) {
		if (p->all[i].used)
			continue;
		ret->gone++;
		if (p->all[i].state == OW_MQ_LOCKED)
			r = drop_work(p->s, p->all[i].number);
	}
	return r;
}

static int add_up(struct store *s, MDB_dbi table)
{
	MDB_cursor *c = NULL;
	MDB_val key, data;
	uint32_t check;
	int r = mdb_cursor_open(s->txn, table, &c);

	while (r == 0 && (r = mdb_cursor_get(c, &key, &data, MDB_NEXT)) == 0) {
		memcpy(&check, (const char *)data.mv_data + data.mv_size -
			       STORE_CHECK, STORE_CHECK);
		if (table == s->meta && key.mv_size == 5 &&
		    memcmp(key.mv_data, "epoch", 5) == 0)
			continue;
		s->sum += store_weight(check);
		s->records++;
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == MDB_NOTFOUND ? 0 : store_result(r);
}

static int add_up_all(struct store *s)
{
	int r = 0;

	s->sum = s->records = 0;
#define X(name, flags) r = r == 0 ? add_up(s, s->name) : r;
	STORE_TABLES(X)
#undef X
	return r;
}

static int find_all(struct places *p, const char *aside,
		    struct places_counted *ret)
{
	struct queue *q;
	size_t i;
	int r = queues_load(&p->queues, p->s);

	for (q = p->queues.first; q != NULL; q = q->next) {
		q->now.queued = q->now.locked = q->now.bytes = 0;
		q->dirty = true;
	}
	if (r == 0)
		r = read_places(p);
	if (r == 0)
		r = empty_tables(p->s);
	if (r == 0)
		r = place_all(p, ret);
	q = queues_find(&p->queues, aside, true);
	for (i = 0; i < p->n_lost && r == 0; i++)
		r = q == NULL ? -ENOMEM : put_aside(p, q, p->lost[i]);
	ret->aside = p->n_lost;
	if (r == 0)
		r = drop_gone(p, ret);
	if (r == 0)
		r = queues_write(&p->queues, p->s);
	return r != 0 ? r : add_up_all(p->s);
}

int places_find(struct store *s, const char *aside, struct places_counted *ret)
{
	struct places p = { .s = s };
	bool journals = s->journals;
	int r;

	s->journals = false;
	r = find_all(&p, aside, ret);
	s->journals = journals;
	queues_free(&p.queues);
	free(p.all);
	free(p.lost);
	free(p.branches);
	return r;
}
