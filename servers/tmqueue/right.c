/* SPDX-License-Identifier: Apache-2.0 */
/*
 * right.c - the right to bring a message back, which its consumer could not read
 */
#include "servers/tmqueue/right.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* ---- the hash ---- */

struct sip {
	uint64_t a, b, c, d;
};

static uint64_t turn(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void mix(struct sip *s, int rounds)
{
	while (rounds-- > 0) {
		s->a += s->b;
		s->c += s->d;
		s->b = turn(s->b, 13) ^ s->a;
		s->d = turn(s->d, 16) ^ s->c;
		s->a = turn(s->a, 32) + s->d;
		s->c += s->b;
		s->d = turn(s->d, 21) ^ s->a;
		s->b = turn(s->b, 17) ^ s->c;
		s->c = turn(s->c, 32);
	}
}

static void take_in(struct sip *s, uint64_t word)
{
	s->d ^= word;
	mix(s, 2);
	s->a ^= word;
}

uint64_t right_hash(const uint8_t key[16], const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t k[2], word, last = (uint64_t)len << 56;
	struct sip s;
	size_t n;

	memcpy(k, key, sizeof(k));
	s = (struct sip){ k[0] ^ UINT64_C(0x736f6d6570736575),
			  k[1] ^ UINT64_C(0x646f72616e646f6d),
			  k[0] ^ UINT64_C(0x6c7967656e657261),
			  k[1] ^ UINT64_C(0x7465646279746573) };
	for (n = len; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, sizeof(word));
		take_in(&s, word);
	}
	while (n-- > 0)
		last |= (uint64_t)p[n] << 8 * n;
	take_in(&s, last);
	s.c ^= 0xff;
	mix(&s, 4);
	return s.a ^ s.b ^ s.c ^ s.d;
}

/* ---- rights ---- */

/* What a right is of; without holes. */
struct given {
	uint64_t payload; /* hash */
	uint64_t len, tries, expires;
	uint32_t slot, gen; /* who asked */
	uint8_t type, sub_len, pad[6];
	char queue[TMQNAMELEN + 1];
	char client[NDRX_MAX_ID_SIZE];
	struct ow_mq_ctl ctl;
};

_Static_assert(sizeof(struct given) ==
		       48 + TMQNAMELEN + 1 + NDRX_MAX_ID_SIZE +
			       sizeof(struct ow_mq_ctl),
	       "no byte of it is left to chance");

int right_open(struct space *sp)
{
	struct store *s = &sp->store;
	MDB_val v;
	int r = store_get(s, s->meta, "right", 5, &v);

	if (r == 0 && v.mv_size != sizeof(sp->right))
		return -EBADMSG;
	if (r == 0)
		memcpy(sp->right, v.mv_data, sizeof(sp->right));
	if (r != STORE_ABSENT)
		return r;
	if (getrandom(sp->right, sizeof(sp->right), 0) != sizeof(sp->right))
		return -EIO;
	return store_put(s, s->meta, "right", 5, sp->right, sizeof(sp->right));
}

uint64_t right_of(const struct space *sp, const struct job *j,
		  const struct ow_mq_answer *a, const char *payload)
{
	struct given g = { .payload = right_hash(sp->right, payload, a->len),
			   .len = a->len,
			   .tries = a->count,
			   .expires = a->next,
			   .slot = j->slot,
			   .gen = j->gen,
			   .type = a->type,
			   .sub_len = a->sub_len,
			   .ctl = a->ctl };

	memcpy(g.queue, j->head.queue, sizeof(g.queue));
	memcpy(g.client, a->cltid, sizeof(a->cltid));
	g.ctl.deq_time = 0; /* where the right is */
	return right_hash(sp->right, &g, sizeof(g));
}

bool right_is_given(const struct space *sp, const struct job *j)
{
	struct ow_mq_answer a = { .type = j->head.type,
				  .sub_len = j->head.sub_len,
				  .count = j->head.count,
				  .next = j->head.from,
				  .ctl = j->head.ctl };

	if (j->head.len < sizeof(a.cltid))
		return false;
	a.len = j->head.len - sizeof(a.cltid);
	memcpy(a.cltid, j->payload + a.len, sizeof(a.cltid));
	return right_of(sp, j, &a, j->payload) ==
	       (uint64_t)j->head.ctl.deq_time;
}
