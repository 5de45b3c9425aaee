/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.c - requests of other nodes that are not in a queue yet
 */
#include "servers/bridge/in/pending.h"

#include <string.h>

#include "libatmi/base/clock.h"
#include "servers/bridge/wire/alloc.h"

struct ow_br_item *ow_br_item_new(const struct ow_br_origin *link,
				  const struct ow_br_frame *f,
				  const char *payload, uint64_t cost,
				  const struct ow_br_caller *caller)
{
	struct ow_br_item *i = ow_br_alloc(sizeof(*i) + f->total);

	if (i == NULL)
		return NULL;
	memset(i, 0, sizeof(*i));
	i->tail = i;
	i->from = *link;
	i->from.id = f->id;
	i->node = i->from.peer->node;
	if (f->left_ns != 0)
		i->from.deadline = ow_clock_mono_ns() + f->left_ns;
	i->cost = cost;
	i->caller = *caller;
	i->frame = *f;
	memcpy(i->payload, payload, f->total);
	return i;
}

struct ow_br_item **ow_br_items_find(struct ow_br_item **at, const char *svc)
{
	while (*at != NULL && strcmp((*at)->frame.svc, svc) != 0)
		at = &(*at)->next;
	return at;
}

void ow_br_item_stand_behind(struct ow_br_item *first, struct ow_br_item *i)
{
	struct ow_br_item *at = first->tail;

	if (i->frame.prio > at->frame.prio)
		for (at = first; at->behind != NULL &&
		     at->behind->frame.prio >= i->frame.prio;)
			at = at->behind;
	i->behind = at->behind;
	at->behind = i;
	if (i->behind == NULL)
		first->tail = i;
}

struct ow_br_item *ow_br_items_take(struct ow_br_item **at)
{
	struct ow_br_item *i = *at, *heir = i->behind;

	if (heir != NULL) {
		heir->next = i->next;
		heir->tail = i->tail;
	}
	*at = heir != NULL ? heir : i->next;
	return i;
}
