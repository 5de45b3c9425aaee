/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the priority of the next call, and of the last one
 */
#include "libatmi/call/priority.h"

#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"

int tpsprio(int prio, long flags)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	if (flags != 0 && flags != TPABSOLUTE)
		return ow_tp_fail(TPEINVAL, "flags %ld: give 0 or TPABSOLUTE",
				  flags);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (flags == TPABSOLUTE && (prio < 1 || prio > 100))
		return ow_tp_fail(TPEINVAL, "priority %d: give 1 to 100", prio);
	if (prio > 100 || prio < -100)
		prio = prio > 100 ? 100 : -100;
	c->prio_set = flags == TPABSOLUTE ? OW_PRIORITY_ABSOLUTE
					  : OW_PRIORITY_RELATIVE;
	c->prio_value = prio;
	return 0;
}

int tpgprio(void)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c != NULL ? c->prio_last : -1;
}
