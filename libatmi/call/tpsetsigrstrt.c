/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetsigrstrt.c - a program says what signals do to the waits of its context
 */
#include <tpbind.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/signals.h"

int tpsetsigrstrt(int how)
{
	OW_SHARED;
	struct ow_ctx *c;
	int before;

	ow_tp_clear();
	if (how != TPSIG_DEFAULT && how != TPSIG_RESTART && how != TPSIG_END)
		return ow_tp_fail(TPEINVAL, "%d: give TPSIG_DEFAULT, "
				  "TPSIG_RESTART or TPSIG_END", how);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	before = c->sig_how;
	ow_signals_set(c, how);
	return before;
}
