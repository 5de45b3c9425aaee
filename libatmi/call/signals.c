/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.c - what a signal handler that has run does to the waits of a context
 */
#include "libatmi/call/signals.h"

#include <tpbind.h>

#include "libatmi/call/context.h"
#include "libatmi/log/setting.h"

void ow_signals_set(struct ow_ctx *c, int how)
{
	long restart = how == TPSIG_RESTART;

	if (how == TPSIG_DEFAULT)
		(void)ow_setting_long("NDRX_SIGRSTRT", 0, 0, 1, &restart);
	c->sig_how = how;
	c->sig_flag = restart != 0 ? TPSIGRSTRT : 0;
}
