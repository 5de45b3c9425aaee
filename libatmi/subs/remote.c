/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c - what this domain wants of others, and others of it
 */
#include "libatmi/subs/remote.h"

#include <errno.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/subs/rows.h"

/* A word that posters may be reading. */
#define STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

/* ---- of this domain ---- */

bool ow_interest_is_old(struct ow_domain *d, uint64_t *seen)
{
	struct ow_subs *s = ow_subs_of(d);
	uint64_t now;

	if (s == NULL)
		return false;
	now = UINT64_C(1) << 32 | atomic_load(&s->head->seq);
	if (now == *seen)
		return false;
	*seen = now;
	return true;
}

int ow_interest_of_domain(struct ow_domain *d, struct ow_interest *ret)
{
	struct ow_subs *s = ow_subs_of(d);
	const struct subs_row *r;
	uint32_t row, high, seq = 0;

	memset(ret, 0, sizeof(*ret));
	if (s == NULL)
		return 0;
	if (!ow_subs_read_begin(s, &seq))
		return OW_SUBS_BUSY;
	high = atomic_load(&s->head->high);
	for (row = 0; row < high && row < OW_SUBS_MAX; row++) {
		r = subs_row(s, row);
		if (r == NULL || atomic_load(&r->used) != 1)
			continue;
		if (r->how == 0 || r->len >= OW_SUBS_WORD)
			ret->all = 1;
		else
			ow_interest_add(ret, (int)r->how, r->word, r->len);
	}
	return ow_subs_read_end(s, seq) ? 0 : OW_SUBS_BUSY;
}

/* ---- of other nodes ---- */

static bool is_of_dead(const struct ow_tables *t, uint32_t srvid)
{
	return srvid >= OW_SRV_MAX ||
	       srvid >= atomic_load(&t->head->srv_high) ||
	       atomic_load(&t->srv[srvid].pid) == 0;
}

/* The place of this bridge; NULL: all are taken. */
static struct subs_place *find_place(const struct ow_domain *d,
				     struct ow_subs *s, uint32_t srvid)
{
	struct subs_place *p;
	uint32_t i, was;

	for (i = 0; i < OW_SUBS_BRIDGES; i++)
		if (atomic_load(&s->head->remote[i].srvid) == srvid)
			return &s->head->remote[i];
	for (i = 0; i < OW_SUBS_BRIDGES; i++) {
		p = &s->head->remote[i];
		was = atomic_load(&p->srvid);
		if ((was == 0 || is_of_dead(d->tables, was)) &&
		    atomic_compare_exchange_strong(&p->srvid, &was, srvid))
			return p;
	}
	return NULL;
}

int ow_interest_show(struct ow_domain *d, uint32_t srvid,
		     const struct ow_interest *i)
{
	struct ow_subs *s = ow_subs_of(d);
	struct subs_place *p;
	uint32_t n;

	if (s == NULL)
		return OW_SUBS_ABSENT;
	p = find_place(d, s, srvid);
	if (p == NULL)
		return -ENOSPC;
	for (n = 0; n < OW_INTEREST_WORDS; n++)
		STORE(&p->wants.bits[n], i->bits[n]);
	STORE(&p->wants.lengths, i->lengths);
	STORE(&p->wants.all, i->all);
	return 0;
}

bool ow_interest_remote(struct ow_domain *d, const char *event)
{
	struct ow_subs *s = ow_subs_of(d);
	uint32_t i;

	for (i = 0; s != NULL && i < OW_SUBS_BRIDGES; i++)
		if (atomic_load(&s->head->remote[i].srvid) != 0 &&
		    ow_interest_has(&s->head->remote[i].wants, event))
			return true;
	return false;
}
