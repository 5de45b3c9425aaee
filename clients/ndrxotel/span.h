/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - a span with the process that it comes from
 */
#ifndef OW_OTEL_SPAN_H
#define OW_OTEL_SPAN_H

#include <stdint.h>

#include "libatmi/span/span.h"

struct ow_otel_span {
	struct ow_span s;
	int32_t pid;
	char program[64];
};

/* Did it fail? As OpenTelemetry says it of HTTP: a server has not where its caller
 * made a mistake. */
static inline bool ow_otel_is_failed(const struct ow_span *s)
{
	if (!ow_span_is_http(s->kind))
		return s->tperr != 0;
	return s->status == 0 ||
	       s->status >= (s->kind == OW_SPAN_HTTP_SERVER ? 500 : 400);
}

#endif
