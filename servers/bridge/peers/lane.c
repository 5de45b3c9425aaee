/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.c - what waits to be sent, in its order
 */
#include "servers/bridge/peers/lane.h"

#include <stdlib.h>
#include <string.h>

#include "servers/bridge/wire/alloc.h"

struct ow_br_out *ow_br_out_new(size_t len)
{
	struct ow_br_out *o = ow_br_alloc(sizeof(*o) + len);

	if (o != NULL)
		memset(o, 0, sizeof(*o));
	return o;
}

void ow_br_lane_join(struct ow_br_lane_state *l, struct ow_br_out *o)
{
	o->next = NULL;
	if (l->first == NULL)
		l->last = &l->first;
	*l->last = o;
	l->last = &o->next;
	l->waiting++;
	l->waiting_bytes += o->frame.total;
}

void ow_br_lane_drop(struct ow_br_lane_state *l)
{
	struct ow_br_out *o = l->first;

	l->first = o->next;
	l->waiting--;
	l->waiting_bytes -= o->frame.total;
	free(o);
}
