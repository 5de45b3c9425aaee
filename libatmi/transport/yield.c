/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.c - decide whether a caller yields the CPU before it sleeps
 */
#include "libatmi/transport/yield.h"

#include "libatmi/base/clock.h"

#define COSTLY_NS    (600 * OW_NS_PER_US) /* less than a time slice */
#define PAUSE_MIN    64u
#define PAUSE_MAX    65536u
#define VAIN_MAX     16u /* yields in vain; then one wait in 16 yields */
#define CHEAP_ENOUGH 64u /* cheap yields; then one in MEASURE is measured */
#define MEASURE	     16u

bool ow_yield_begin(struct ow_yield *p)
{
	if (p->skip > 0) {
		p->skip--;
		return false;
	}
	p->begin_ns = p->cheap < CHEAP_ENOUGH || p->tried++ % MEASURE == 0
			  ? ow_clock_mono_ns()
			  : 0;
	return true;
}

static void note_cost(struct ow_yield *p)
{
	if (ow_clock_mono_ns() - p->begin_ns < COSTLY_NS) {
		if (p->cheap < CHEAP_ENOUGH && ++p->cheap == CHEAP_ENOUGH)
			p->pause = 0;
		return;
	}
	p->cheap = 0;
	p->pause = p->pause == 0	     ? PAUSE_MIN
		   : p->pause < PAUSE_MAX / 2 ? 2 * p->pause
					      : PAUSE_MAX;
	p->skip = p->pause;
}

void ow_yield_end(struct ow_yield *p, bool came)
{
	p->in_vain = came ? 0 : p->in_vain + 1;
	if (p->in_vain >= VAIN_MAX)
		p->skip = VAIN_MAX - 1;
	if (p->begin_ns != 0)
		note_cost(p);
}
