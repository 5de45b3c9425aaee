/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.c - ndrx_lcf_publish: give a command to the processes of the domain
 */
#include <lcf.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/lcf/follow/slots.h"
#include "libatmi/lcf/follow/words.h"

int ndrx_lcf_publish(int slot, ndrx_lcf_command_t *cmd)
{
	OW_SHARED;
	struct ow_lcf *l = NULL;
	const char *wrong;
	struct ow_ctx *c;
	int r;

	ow_tp_clear();
	if (cmd == NULL || slot < 0 || slot >= (int)ow_lcf_max())
		return ow_tp_fail(TPEINVAL, "no command, or slot %d: 0 to %u",
				  slot, ow_lcf_max() - 1);
	wrong = ow_lcf_wrong(cmd);
	if (wrong != NULL)
		return ow_tp_fail(TPEINVAL, "%s", wrong);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (ow_ctx_need_domain(c) != 0)
		return c->guest == NULL ? -1
					: ow_tp_fail(TPEPERM, "a guest gives no "
						     "commands");
	r = ow_lcf_open(c->dom, true, &l);
	if (r == 0)
		r = ow_lcf_publish(l, (uint32_t)slot, cmd);
	ow_lcf_close(l);
	return r != 0 ? ow_tp_fail_errno(r, "commands to processes") : 0;
}
