/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.h - the priority of the next call
 */
#ifndef OW_PRIORITY_H
#define OW_PRIORITY_H

#include <stdatomic.h>

#include "libatmi/call/context.h"

/* The priority (1..100) of a call of service `s` that begins now; the value
 * of tpsprio() is used up. */
static inline unsigned int ow_priority_take(struct ow_ctx *c, const struct ow_svc *s)
{
	int p = (int)atomic_load_explicit(&s->prio, memory_order_relaxed);

	if (c->prio_set == OW_PRIORITY_ABSOLUTE)
		p = c->prio_value;
	else if (c->prio_set == OW_PRIORITY_RELATIVE)
		p += c->prio_value;
	c->prio_set = OW_PRIORITY_NONE;
	p = p < 1 ? 1 : p > 100 ? 100 : p;
	c->prio_last = p;
	return (unsigned int)p;
}

#endif
