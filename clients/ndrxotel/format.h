/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - spans as OTLP wants them: an ExportTraceServiceRequest in JSON
 *
 * https://opentelemetry.io/docs/specs/otlp. Attributes follow the semantic
 * conventions of RPC; of messaging where OTEL_SEMCONV_STABILITY_OPT_IN says so.
 * doc/design/spans.md has the table.
 */
#ifndef OW_OTEL_FORMAT_H
#define OW_OTEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxotel/span.h"

struct ow_otel_json;

/* What is said of the domain. */
struct ow_otel_about {
	char space[48]; /* service.namespace: the prefix */
	char host[128];
	long node;
	bool messaging; /* its conventions, for durable queues */
	uint64_t real_ns; /* wall clock minus monotonic */
};

/* From the environment. */
void ow_otel_about_read(struct ow_otel_about *a, const char *space, long node);

/* Write `n` spans, of which it changes the order. */
void ow_otel_otlp_write(struct ow_otel_json *j, const struct ow_otel_about *a,
			struct ow_otel_span *spans, size_t n);

#endif
