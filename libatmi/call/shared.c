/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.c - put a shared context on the thread that enters, and take it off
 */
#include "libatmi/call/shared.h"

#include "libatmi/call/life.h"

bool ow_shared_enter(void)
{
	struct ow_ctx *c;
	int entered;

	do {
		if (ow_sharing == &ow_share_unasked && !ow_share_ask())
			return false;
		entered = ow_share_enter(&c);
	} while (!entered && ow_sharing == &ow_share_unasked);
	if (entered)
		ow_ctx_attach(c);
	return true;
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
