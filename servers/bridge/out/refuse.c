/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - errors of requests that a bridge has not executed
 */
#include "servers/bridge/out/refuse.h"

#include <stdbool.h>
#include <stddef.h>
#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/member/lost.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"

int ow_br_error_of(uint32_t flags, int tperr)
{
	return flags & OW_MSG_FORWARDED ? TPESVCERR : tperr;
}

long ow_br_urcode_of(int tperr)
{
	return tperr == TPENOENT || tperr == TPEPERM ? (long)OW_URCODE_UNBEGUN
						  : 0;
}

long ow_br_urcode_heard(uint32_t flags, int tperr, int64_t urcode)
{
	bool answered = tperr == 0 || tperr == TPESVCFAIL;

	if (urcode == OW_URCODE_UNBEGUN &&
	    (answered || (flags & OW_MSG_FORWARDED) != 0))
		return 0;
	return (long)urcode;
}

void ow_br_refuse(int tperr)
{
	const struct ow_msg *m = ow_deferred_request();
	struct ow_ctx *c = ow_ctx_peek();
	int r = m != NULL ? ow_br_error_of(m->flags, tperr) : tperr;

	if (m != NULL && m->cd == 0 && c != NULL)
		ow_lost_note(c->dom, m, "no other node took it");
	if (r == TPENOENT)
		tpreturn(TPFAIL, ow_br_urcode_of(r), NULL, 0, TPSOFTENOENT);
	else
		tpreturn(TPFAIL, r, NULL, 0, TPSOFTERR);
}
