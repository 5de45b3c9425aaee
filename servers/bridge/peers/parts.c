/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - payloads that come in parts
 */
#include "servers/bridge/peers/parts.h"

#include <stdlib.h>
#include <string.h>

#include "servers/bridge/wire/alloc.h"

void ow_br_partial_free(struct ow_br_peers *ps, struct ow_br_partial *p)
{
	if (p == NULL)
		return;
	ow_br_partial_whole(ps, p);
	free(p);
}

void ow_br_partial_whole(struct ow_br_peers *ps, const struct ow_br_partial *p)
{
	ps->partial_bytes -= p->frame.total;
	p->from->partial_bytes -= p->frame.total;
}

/* Of all bridges of the node. */
static uint64_t partial_of(const struct ow_br_peers *ps, uint32_t node)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < ps->npeers; i++)
		if (ps->peer[i]->node == node)
			n += ps->peer[i]->partial_bytes;
	return n;
}

static struct ow_br_partial *partial_new(struct ow_br_peers *ps,
					 struct ow_br_peer *from,
					 const struct ow_br_frame *f)
{
	struct ow_br_partial *p = NULL;

	if (ps->partial_bytes + f->total <= OW_BR_PARTIAL_ALL &&
	    partial_of(ps, from->node) + f->total <= OW_BR_PARTIAL)
		p = ow_br_alloc(sizeof(*p) + f->total);
	if (p == NULL)
		return NULL;
	ps->partial_bytes += f->total;
	from->partial_bytes += f->total;
	p->from = from;
	p->frame = *f;
	p->have = 0;
	return p;
}

struct ow_br_partial *ow_br_partial_find(struct ow_br_partial *list,
					 const struct ow_br_frame *f)
{
	while (list != NULL && list->frame.id != f->id)
		list = list->next;
	return list;
}

struct ow_br_partial *ow_br_collect(struct ow_br_peers *ps,
				    struct ow_br_peer *from,
				    struct ow_br_partial **list,
				    const struct ow_br_frame *f,
				    const char *payload)
{
	struct ow_br_partial *p;

	while (*list != NULL && (*list)->frame.id != f->id)
		list = &(*list)->next;
	if (f->offset == 0 && *list == NULL) {
		p = partial_new(ps, from, f);
		if (p != NULL)
			p->next = NULL;
		*list = p;
	}
	p = *list;
	if (p == NULL)
		return NULL; /* it was dropped before */
	if (p->have == f->offset && f->total == p->frame.total) {
		memcpy(p->payload + p->have, payload, f->len);
		p->have += f->len;
	}
	if (p->have < p->frame.total)
		return NULL;
	*list = p->next;
	return p;
}
