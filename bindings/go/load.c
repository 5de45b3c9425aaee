/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - what waits for a service
 */
#include "inside.h"

int gow_load(struct gow *g, const char *svc, struct tpload *load,
	     long *ret_seconds, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);

	gow_clear(out);
	if (tpsvcload(svc, load) == -1)
		gow_fail(out);
	*ret_seconds = tptoutget();
	gow_leave(had);
	return out->err == 0 ? 0 : -1;
}
