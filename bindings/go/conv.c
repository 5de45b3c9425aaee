/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - conversations
 */
#include "inside.h"

#include <limits.h>

int gow_connect(struct gow *g, const char *svc, struct gow_in in,
		long ms, long flags, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	char *data;
	int r = gow_prepare(g, in, &data, out);

	if (r == 0) {
		gow_limit(ms);
		r = tpconnect((char *)svc, data, in.len, flags);
		out->cd = r;
		out->unbegun = r == -1 && tpurcode == LONG_MIN;
		r = r == -1 ? gow_fail(out) : 0;
	}
	gow_leave(had);
	return r;
}

int gow_recv(struct gow *g, int cd, struct gow_out *out, int *ms)
{
	TPCONTEXT_T had = gow_enter(g);
	char *buf = NULL;
	long len = 0, event = 0;
	int r;

	gow_clear(out);
	out->cd = cd;
	r = tprecv(cd, &buf, &len, TPNOBLOCK, &event);
	if (r != 0)
		gow_fail(out);
	out->urcode = tpurcode;
	out->event = event;
	if (out->err == TPEBLOCK) {
		*ms = tpreplytimeout();
		r = 1;
	} else {
		gow_look_apart(buf, len, out);
	}
	gow_leave(had);
	return r;
}

int gow_conv_send(struct gow *g, int cd, struct gow_in in, long flags,
		  struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	char *data;
	int r = gow_prepare(g, in, &data, out);

	out->cd = cd;
	if (r == 0) {
		r = tpsend(cd, data, in.len, flags, &out->event);
		if (r != 0)
			gow_fail(out);
	}
	gow_leave(had);
	return r;
}

int gow_discon(struct gow *g, int cd, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	int r;

	gow_clear(out);
	r = tpdiscon(cd);
	if (r != 0)
		gow_fail(out);
	gow_leave(had);
	return r;
}
