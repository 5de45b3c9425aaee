/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - the trace of requests, and spans of HTTP
 */
#include "inside.h"

void gow_note(struct tptrace trace, const unsigned char *parent, int kind,
	      int status, long usec, const char *method, const char *name)
{
	struct tpspan s = { .trace = trace, .kind = kind, .status = status,
			    .method = method, .name = name, .usec = usec };

	memcpy(s.parent, parent, sizeof(s.parent));
	tpnotespan(&s);
}

struct tptrace gow_trace_in_hand(void)
{
	struct tptrace t = { .flags = 0 };

	if (tpgettrace(&t) < 0)
		memset(&t, 0, sizeof(t));
	return t;
}
