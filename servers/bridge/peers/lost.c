/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.c - one-way requests that a bridge could not pass on
 */
#include "servers/bridge/peers/lost.h"

#include <stddef.h>

#include "libatmi/member/lost.h"
#include "servers/bridge/wire/frame.h"

void ow_br_lost(struct ow_domain *d, const struct ow_br_frame *f,
		const char *why)
{
	if (d != NULL && f->id == 0 && f->kind == OW_BR_REQUEST &&
	    f->svc[0] != '@' && f->svc[0] != '.')
		ow_lost_name(d, f->svc, f->span_id, f->trace_id, why);
}
