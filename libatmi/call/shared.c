/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.c - put a shared context on the thread that enters, and take it off
 */
#include "libatmi/call/shared.h"

#include "libatmi/call/life.h"

void ow_shared_enter(void)
{
	struct ow_ctx *c;

	if (ow_share_enter(&c))
		ow_ctx_attach(c);
}

void ow_shared_leave(void)
{
	ow_share_leave(ow_share_is_outermost() ? ow_ctx_detach() : NULL);
}

void ow_shared_quit(void)
{
	while (ow_share_is_inside())
		ow_shared_leave();
	ow_share_quit();
}
