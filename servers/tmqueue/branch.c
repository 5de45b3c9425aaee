/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - branches of transactions in the data base of a queue space
 */
#include "servers/tmqueue/branch.h"

#include <errno.h>
#include <string.h>

#define WORK_KEY 16 /* branch 8, number of the message 8 */

struct branch_record {
	uint64_t number;
	uint32_t prepared, pad;
	struct ow_mq_xid xid;
};

struct work_record {
	uint64_t due_ns;
	uint32_t tries;
	uint8_t did, pad[3];
};

bool xid_same(const struct ow_mq_xid *a, const struct ow_mq_xid *b)
{
	return a->format == b->format && a->gtrid == b->gtrid &&
	       a->bqual == b->bqual &&
	       memcmp(a->data, b->data, (size_t)a->gtrid + a->bqual) == 0;
}

static size_t xid_key(uint8_t *k, const struct ow_mq_xid *x)
{
	store_be32(k, (uint32_t)x->format);
	k[4] = x->gtrid;
	k[5] = x->bqual;
	memcpy(k + 6, x->data, (size_t)x->gtrid + x->bqual);
	return 6u + x->gtrid + x->bqual;
}

static int find(struct store *s, const struct ow_mq_xid *xid,
		struct branch_record *ret)
{
	uint8_t key[6 + 128];
	MDB_val v;
	int r = store_get(s, s->branch, key, xid_key(key, xid), &v);

	if (r != 0)
		return r;
	if (v.mv_size != sizeof(*ret))
		return -EBADMSG;
	memcpy(ret, v.mv_data, sizeof(*ret));
	return 0;
}

static int put(struct store *s, const struct branch_record *b)
{
	uint8_t key[6 + 128];

	return store_put(s, s->branch, key, xid_key(key, &b->xid), b,
			 sizeof(*b));
}

int branch_add(struct store *s, struct queue *q, const struct ow_mq_xid *xid,
	       enum branch_did did, const struct message *m, uint64_t due_ns,
	       uint32_t tries)
{
	struct work_record w = { .due_ns = due_ns,
				 .tries = tries,
				 .did = (uint8_t)did };
	struct branch_record b = { .prepared = 0 };
	uint8_t key[WORK_KEY];
	int r = find(s, xid, &b);

	if (r == STORE_ABSENT) {
		b.number = ++s->last_branch;
		b.xid = *xid;
		r = put(s, &b);
	}
	if (r != 0)
		return r;
	store_be64(key, b.number);
	store_be64(key + 8, m->number);
	q->dirty = true;
	q->now.locked++;
	return store_put(s, s->work, key, sizeof(key), &w, sizeof(w));
}

int branch_prepare(struct store *s, const struct ow_mq_xid *xid)
{
	struct branch_record b;
	int r = find(s, xid, &b);

	if (r != 0)
		return r;
	b.prepared = 1;
	return put(s, &b);
}

bool branch_is_prepared(struct store *s, const struct ow_mq_xid *xid)
{
	struct branch_record b;

	return find(s, xid, &b) == 0 && b.prepared != 0;
}

bool branch_exists(struct store *s, const struct ow_mq_xid *xid)
{
	struct branch_record b;

	return find(s, xid, &b) == 0;
}

/* One message of a branch finds its place. */
static int settle(struct store *s, struct queues *qs, uint64_t number,
		  const struct work_record *w, bool commit)
{
	bool keep = (w->did == DID_ENQUEUE) == commit;
	struct message m;
	struct queue *q;
	int r = message_read(s, number, &m);

	if (r != 0)
		return r;
	q = queues_by_id(qs, m.head.queue);
	if (q == NULL)
		return -EBADMSG;
	q->dirty = true;
	q->now.locked--;
	if (commit && w->did == DID_ENQUEUE)
		q->now.enqueued++;
	if (commit && w->did == DID_DEQUEUE)
		q->now.dequeued++;
	return keep ? message_show(s, q, &m, w->due_ns,
				   w->tries + (commit ? 0 : 1))
		    : message_erase(s, q, &m);
}

/* The next message of the branch: 0 with it, and its record is removed. */
static int next_work(struct store *s, uint64_t branch, uint64_t *ret_number,
		     struct work_record *ret)
{
	uint8_t key[WORK_KEY] = { 0 };
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int r;

	store_be64(key, branch);
	r = store_seek(s, s->work, key, sizeof(key), false, &c, &k, &v);
	if (r == 0 && (k.mv_size != sizeof(key) || v.mv_size != sizeof(*ret)))
		r = -EBADMSG;
	if (r == 0 && memcmp(k.mv_data, key, 8) != 0)
		r = STORE_ABSENT;
	if (r == 0) {
		memcpy(key, k.mv_data, sizeof(key));
		memcpy(ret, v.mv_data, sizeof(*ret));
		*ret_number = store_from_be64(key + 8);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r != 0 ? r : store_del(s, s->work, key, sizeof(key));
}

int branch_end(struct store *s, struct queues *qs, const struct ow_mq_xid *xid,
	       bool commit)
{
	uint8_t key[6 + 128];
	struct branch_record b;
	struct work_record w;
	uint64_t number = 0;
	int r = find(s, xid, &b);

	if (r != 0)
		return r;
	while ((r = next_work(s, b.number, &number, &w)) == 0) {
		r = settle(s, qs, number, &w, commit);
		if (r != 0)
			return r == STORE_ABSENT ? -EBADMSG : r;
	}
	if (r != STORE_ABSENT)
		return r;
	return store_del(s, s->branch, key, xid_key(key, xid));
}

int branch_list(struct store *s, const struct ow_mq_xid *after,
		struct ow_mq_xid *ret, int most)
{
	uint8_t key[6 + 128] = { 0 };
	size_t len = after->gtrid != 0 ? xid_key(key, after) : 1;
	struct branch_record b;
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int n = 0;
	int r = store_seek(s, s->branch, key, len, false, &c, &k, &v);

	if (r == 0 && after->gtrid != 0 && k.mv_size == len &&
	    memcmp(k.mv_data, key, len) == 0)
		r = store_step(s, c, false, &k, &v);

	while (r == 0 && n < most) {
		if (v.mv_size == sizeof(b)) {
			memcpy(&b, v.mv_data, sizeof(b));
			if (b.prepared)
				ret[n++] = b.xid;
		}
		r = store_step(s, c, false, &k, &v);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r < 0 ? r : n;
}

/* A branch that is not prepared; ABSENT: there is none. */
static int find_active(struct store *s, struct ow_mq_xid *ret)
{
	struct branch_record b;
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int r = store_seek(s, s->branch, "", 1, false, &c, &k, &v);

	while (r == 0) {
		memcpy(&b, v.mv_data, sizeof(b));
		if (!b.prepared) {
			*ret = b.xid;
			break;
		}
		r = store_step(s, c, false, &k, &v);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r;
}

int branch_recover(struct store *s, struct queues *qs)
{
	struct ow_mq_xid xid;
	int r;

	while ((r = find_active(s, &xid)) == 0) {
		r = branch_end(s, qs, &xid, false);
		if (r != 0)
			return r == STORE_ABSENT ? -EBADMSG : r;
	}
	return r == STORE_ABSENT ? 0 : r;
}
