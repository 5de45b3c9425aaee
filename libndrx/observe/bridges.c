/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridges.c - for onlookers: what the bridges of the domain show
 */
#include "libndrx/observe/bridges.h"

#include <stdlib.h>

void ow_bridges_open(const struct ow_observer *v, struct ow_bridges *ret)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id;

	ret->n = 0;
	for (id = ow_srv_next(t, 1); id != 0 && ret->n < OW_BRIDGES_MAX;
	     id = ow_srv_next(t, id + 1)) {
		if (!ow_nodes_is_bridge(t->srv[id].bin) ||
		    !ow_srv_alive(t, id))
			continue;
		ret->p[ret->n] = ow_nodes_read(&v->d, id);
		ret->n += ret->p[ret->n] != NULL;
	}
}

void ow_bridges_close(struct ow_bridges *b)
{
	while (b->n > 0)
		free(b->p[--b->n]);
}

const char *ow_bridges_state(const struct ow_nodes_link *l)
{
	if (l->cut != OW_NODES_CUT_NONE)
		return "cut";
	if (l->up)
		return "up";
	return l->left ? "left" : "down";
}
