/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - messages in the data base of a queue space
 */
#include "servers/tmqueue/message.h"

#include <errno.h>
#include <string.h>

#include "libatmi/base/clock.h"

#define CORR_KEY  (4 + TMCORRIDLEN + 8)
#define TIMED_KEY 17 /* time 8, what 1, number 8 */
#define ID_MARK	  "OWQ1"
#define LOOK_NS	  OW_NS_PER_SEC /* at one that a service has, and is late */

enum timed_what { TIMED_READY = 'd', TIMED_EXPIRES = 'e' };

/* Record of `due`. */
struct due {
	uint64_t due_ns;
	uint32_t tries, pad;
};

/* ---- ids ---- */

void message_reason(const struct message *m, char buf[OW_MQ_REASON])
{
	uint32_t n = m->head.client_len;

	buf[0] = '\0';
	if (n <= CLIENT_LEN)
		return;
	n -= CLIENT_LEN;
	if (n >= OW_MQ_REASON)
		n = OW_MQ_REASON - 1;
	memcpy(buf, m->client + CLIENT_LEN, n);
	buf[n] = '\0';
}

void message_id(const struct store *s, uint64_t number, char id[TMMSGIDLEN])
{
	memset(id, 0, TMMSGIDLEN);
	memcpy(id, ID_MARK, 4);
	memcpy(id + 4, s->id, sizeof(s->id));
	store_be64((uint8_t *)id + 12, number);
}

uint64_t message_number(const struct store *s, const char id[TMMSGIDLEN])
{
	uint64_t number = store_from_be64((const uint8_t *)id + 12);
	char own[TMMSGIDLEN];

	message_id(s, number, own);
	return memcmp(id, own, TMMSGIDLEN) == 0 ? number : 0;
}

/* ---- keys ---- */

static size_t key_of(uint8_t k[ORDER_KEY_MAX], const struct message *m)
{
	struct order_of of = { .queue = m->head.queue,
			       .rank = m->head.rank,
			       .number = m->number,
			       .place = &m->order };

	return order_key(k, &of);
}

static void corr_key(uint8_t *k, uint32_t queue, const char *corrid,
		     uint64_t number)
{
	store_be32(k, queue);
	memcpy(k + 4, corrid, TMCORRIDLEN);
	store_be64(k + 4 + TMCORRIDLEN, number);
}

static void timed_key(uint8_t *k, uint64_t time, enum timed_what what,
		      uint64_t number)
{
	store_be64(k, time);
	k[8] = (uint8_t)what;
	store_be64(k + 9, number);
}

/* ---- in and out ---- */

static int have_id(struct queues *qs, struct queue *q)
{
	if (q->id == 0)
		q->id = ++qs->last_id;
	q->dirty = true;
	return 0;
}

int message_write(struct store *s, struct queues *qs, struct queue *q,
		  struct message *m)
{
	struct message_head *h = &m->head;
	struct iovec parts[] = {
		{ h, sizeof(*h) },
		{ (void *)m->client, h->client_len },
		{ (void *)m->payload, h->len },
		{ &m->trace, m->trace.magic != 0 ? sizeof(m->trace) : 0 },
		{ &m->order, order_size(&m->order) },
	};
	int r = have_id(qs, q);

	if (m->number == 0)
		m->number = ++s->last;
	h->magic = MESSAGE_MAGIC;
	h->queue = q->id;
	if (r == 0)
		r = store_append(s, s->message, m->number, parts,
				 sizeof(parts) / sizeof(parts[0]));
	if (r != 0)
		return r;
	q->now.queued++;
	q->now.bytes += h->len;
	return 0;
}

static int show_delayed(struct store *s, const struct message *m,
			uint64_t due_ns, uint32_t tries)
{
	struct due d = { .due_ns = due_ns, .tries = tries };
	uint8_t key[TIMED_KEY];
	int r = store_put(s, s->due, &m->number, sizeof(m->number), &d,
			  sizeof(d));

	timed_key(key, due_ns, TIMED_READY, m->number);
	return r != 0 ? r : store_put(s, s->timed, key, sizeof(key), "", 0);
}

static int show_ready(struct store *s, struct queue *q, const struct message *m,
		      uint32_t tries)
{
	uint8_t key[ORDER_KEY_MAX], corr[CORR_KEY];
	int r = store_put(s, s->order, key, key_of(key, m), &tries,
			  sizeof(tries));

	if (r != 0 || (m->head.flags & TPQCORRID) == 0)
		return r;
	corr_key(corr, m->head.queue, m->head.corrid, m->number);
	return store_put(s, s->corr, corr, sizeof(corr), "", 0);
}

int message_show(struct store *s, struct queue *q, const struct message *m,
		 uint64_t due_ns, uint32_t tries)
{
	uint8_t key[TIMED_KEY];
	int r = 0;

	if (m->head.expires_ns != 0) {
		timed_key(key, m->head.expires_ns, TIMED_EXPIRES, m->number);
		r = store_put(s, s->timed, key, sizeof(key), "", 0);
	}
	if (r != 0)
		return r;
	if (due_ns != 0)
		return show_delayed(s, m, due_ns, tries);
	q->fresh = true;
	return show_ready(s, q, m, tries);
}

static int forget_expiry(struct store *s, const struct message *m)
{
	uint8_t key[TIMED_KEY];
	int r;

	if (m->head.expires_ns == 0)
		return 0;
	timed_key(key, m->head.expires_ns, TIMED_EXPIRES, m->number);
	r = store_del(s, s->timed, key, sizeof(key));
	return r == STORE_ABSENT ? 0 : r;
}

static int hide_delayed(struct store *s, const struct message *m,
			uint64_t due_ns)
{
	uint8_t key[TIMED_KEY];
	int r = store_del(s, s->due, &m->number, sizeof(m->number));

	timed_key(key, due_ns, TIMED_READY, m->number);
	return r != 0 ? r : store_del(s, s->timed, key, sizeof(key));
}

static int hide_ready(struct store *s, const struct message *m)
{
	uint8_t key[ORDER_KEY_MAX], corr[CORR_KEY];
	int r = store_del(s, s->order, key, key_of(key, m));

	if (r != 0 || (m->head.flags & TPQCORRID) == 0)
		return r;
	corr_key(corr, m->head.queue, m->head.corrid, m->number);
	return store_del(s, s->corr, corr, sizeof(corr));
}

int message_hide(struct store *s, const struct message *m, struct place *ret)
{
	int r = message_place(s, m, ret);

	if (r != 0)
		return r;
	if (ret->state == OW_MQ_LOCKED)
		return STORE_ABSENT;
	r = ret->state == OW_MQ_READY ? hide_ready(s, m)
				      : hide_delayed(s, m, ret->due_ns);
	return r != 0 ? r : forget_expiry(s, m);
}

int message_erase(struct store *s, struct queue *q, const struct message *m)
{
	int r = store_del(s, s->message, &m->number, sizeof(m->number));

	if (r != 0)
		return r;
	q->dirty = true;
	q->now.queued--;
	q->now.bytes -= m->head.len;
	return 0;
}

/* ---- found ---- */

/* `len` bytes follow the payload: a trace or none, a place or none. */
static int read_rest(const char *at, size_t len, struct message *m)
{
	struct message_trace *t = &m->trace;

	memset(t, 0, sizeof(*t));
	if (len >= sizeof(*t))
		memcpy(t, at, sizeof(*t));
	if (t->magic == MESSAGE_TRACE) {
		at += sizeof(*t);
		len -= sizeof(*t);
	} else {
		memset(t, 0, sizeof(*t));
	}
	return order_read(at, len, &m->order) == len ? 0 : -EBADMSG;
}

int message_read(struct store *s, uint64_t number, struct message *ret)
{
	struct message_head *h = &ret->head;
	size_t len;
	MDB_val v;
	int r = store_get(s, s->message, &number, sizeof(number), &v);

	if (r != 0)
		return r;
	if (v.mv_size < sizeof(*h))
		return -EBADMSG;
	memcpy(h, v.mv_data, sizeof(*h));
	len = sizeof(*h) + h->client_len + h->len;
	if (h->magic != MESSAGE_MAGIC || h->len > v.mv_size || len > v.mv_size)
		return -EBADMSG;
	ret->number = number;
	ret->client = (const char *)v.mv_data + sizeof(*h);
	ret->payload = ret->client + h->client_len;
	return read_rest((const char *)v.mv_data + len, v.mv_size - len, ret);
}

int message_place(struct store *s, const struct message *m, struct place *ret)
{
	uint8_t key[ORDER_KEY_MAX];
	struct due d;
	MDB_val v;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = store_get(s, s->order, key, key_of(key, m), &v);
	if (r == 0) {
		memcpy(&ret->tries, v.mv_data, sizeof(ret->tries));
		return 0;
	}
	if (r != STORE_ABSENT)
		return r;
	r = store_get(s, s->due, &m->number, sizeof(m->number), &v);
	ret->state = r == 0 ? OW_MQ_DELAYED : OW_MQ_LOCKED;
	if (r == 0) {
		memcpy(&d, v.mv_data, sizeof(d));
		ret->tries = d.tries;
		ret->due_ns = d.due_ns;
	}
	return r == STORE_ABSENT ? 0 : r;
}

/* The message number `number`, if it can be taken out of this queue;
 * `forwarded`: by who forwards it. */
static int choose_number(struct store *s, const struct queue *q, uint64_t number,
			 bool forwarded, struct message *ret,
			 uint32_t *ret_tries)
{
	struct place p;
	int r = message_read(s, number, ret);

	if (r == 0 && ret->head.queue != q->id)
		r = STORE_ABSENT;
	if (r == 0)
		r = message_place(s, ret, &p);
	if (r == 0 &&
	    (p.state != OW_MQ_READY ||
	     queue_is_forwarding(q, number) != forwarded))
		r = STORE_ABSENT;
	if (r == 0)
		*ret_tries = p.tries;
	return r;
}

/* The first (last, of LIFO) whose key begins with the `same` bytes of `key`,
 * and which is not forwarded. Its number is the end of the key. */
static int choose_first(struct store *s, const struct queue *q, MDB_dbi table,
			const uint8_t *key, size_t key_len, size_t same,
			uint64_t *ret_number)
{
	bool back = q->def.mode == MODE_LIFO;
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int r = store_seek(s, table, key, key_len, back, &c, &k, &v);

	while (r == 0) {
		if (k.mv_size < key_len || memcmp(k.mv_data, key, same) != 0) {
			r = STORE_ABSENT;
			break;
		}
		*ret_number = store_from_be64((const uint8_t *)k.mv_data +
					      k.mv_size - 8);
		if (!queue_is_forwarding(q, *ret_number))
			break;
		r = store_step(s, c, back, &k, &v);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r;
}

int message_choose(struct store *s, const struct queue *q,
		   const struct wanted *w, struct message *ret,
		   uint32_t *ret_tries)
{
	bool back = q->def.mode == MODE_LIFO;
	struct order_of edge = { .queue = q->id,
				 .rank = back ? 0xff : 0,
				 .number = back ? UINT64_MAX : 0 };
	uint8_t key[ORDER_KEY_MAX];
	uint64_t number = 0;
	int r;

	if (q->id == 0)
		return STORE_ABSENT;
	if (w->number != 0)
		return choose_number(s, q, w->number, w->forwarded, ret,
				     ret_tries);
	if (w->corrid != NULL) {
		corr_key(key, q->id, w->corrid, edge.number);
		r = choose_first(s, q, s->corr, key, CORR_KEY,
				 4 + TMCORRIDLEN, &number);
	} else {
		r = choose_first(s, q, s->order, key, order_key(key, &edge), 4,
				 &number);
	}
	return r != 0 ? r : choose_number(s, q, number, false, ret, ret_tries);
}

uint64_t message_oldest(struct store *s, const struct queue *q)
{
	struct wanted any = { .number = 0 };
	struct queue fifo = *q;
	struct message m;
	uint32_t tries;

	fifo.def.mode = MODE_FIFO;
	fifo.n_forwarded = 0;
	if (message_choose(s, &fifo, &any, &m, &tries) != 0)
		return 0;
	return m.head.since_ns;
}

/* ---- time ---- */

static int become_ready(struct store *s, struct queue *q,
			const struct message *m)
{
	struct place p;
	int r = message_place(s, m, &p);

	if (r != 0 || p.state != OW_MQ_DELAYED)
		return r;
	r = store_del(s, s->due, &m->number, sizeof(m->number));
	q->fresh = true;
	return r != 0 ? r : show_ready(s, q, m, p.tries);
}

/* One that a transaction or a service has is left to them: its time is looked at
 * when it comes back. That a service has it is in memory only, so it is looked at
 * again soon, or by the next life. */
static int expire(struct store *s, struct queue *q, const struct message *m,
		  uint64_t now)
{
	uint8_t key[TIMED_KEY];
	struct place p;
	int r;

	if (queue_is_forwarding(q, m->number)) {
		timed_key(key, now + LOOK_NS, TIMED_EXPIRES, m->number);
		return store_put(s, s->timed, key, sizeof(key), "", 0);
	}
	r = message_hide(s, m, &p);
	if (r == STORE_ABSENT)
		return 0;
	return r != 0 ? r : message_erase(s, q, m);
}

static int carry_out(struct store *s, struct queues *qs, const MDB_val *key,
		     uint64_t now)
{
	const uint8_t *k = key->mv_data;
	uint64_t number = store_from_be64(k + 9);
	enum timed_what what = (enum timed_what)k[8];
	struct message m;
	struct queue *q;
	int r = message_read(s, number, &m);

	if (r == STORE_ABSENT)
		return 0;
	if (r != 0)
		return r;
	q = queues_by_id(qs, m.head.queue);
	if (q == NULL)
		return -EBADMSG;
	return what == TIMED_READY ? become_ready(s, q, &m)
				  : expire(s, q, &m, now);
}

/* The key of the next thing. */
static int next_thing(struct store *s, uint8_t key[TIMED_KEY])
{
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int r = store_seek(s, s->timed, "", 1, false, &c, &k, &v);

	if (r == 0 && k.mv_size != TIMED_KEY)
		r = -EBADMSG;
	if (r == 0)
		memcpy(key, k.mv_data, TIMED_KEY);
	if (c != NULL)
		mdb_cursor_close(c);
	return r;
}

int message_due(struct store *s, struct queues *qs, uint64_t now, int most)
{
	uint8_t key[TIMED_KEY];
	MDB_val k = { sizeof(key), key };
	int r = 0;

	while (r == 0 && most-- > 0) {
		r = next_thing(s, key);
		if (r != 0 || store_from_be64(key) > now)
			break;
		r = store_del(s, s->timed, key, sizeof(key));
		if (r == 0)
			r = carry_out(s, qs, &k, now);
	}
	return r == STORE_ABSENT ? 0 : r;
}

int message_next_due(struct store *s, uint64_t *ret)
{
	uint8_t key[TIMED_KEY];
	int r = next_thing(s, key);

	*ret = r == 0 ? store_from_be64(key) : 0;
	return r == STORE_ABSENT ? 0 : r;
}
