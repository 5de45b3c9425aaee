/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the priority of the next call, and of the last one
 */
#include "libatmi/call/priority.h"

#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"

unsigned int ow_priority_take(struct ow_ctx *c, const struct ow_svc *s)
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

int tpsprio(int prio, long flags)
{
	struct ow_ctx *c;

	ow_tp_clear();
	if (flags != 0 && flags != TPABSOLUTE)
		return ow_tp_fail(TPEINVAL, "flags %ld: want 0 or TPABSOLUTE",
				  flags);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (prio > 100 || prio < -100)
		prio = prio > 100 ? 100 : -100;
	c->prio_set = flags == TPABSOLUTE ? OW_PRIORITY_ABSOLUTE
					  : OW_PRIORITY_RELATIVE;
	c->prio_value = prio;
	return 0;
}

int tpgprio(void)
{
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c != NULL ? c->prio_last : -1;
}
