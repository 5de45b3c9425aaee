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

#include "clients/ndrxotel/about.h"
#include "clients/ndrxotel/span.h"

struct ow_otel_json;

/* Write `n` spans, of which it changes the order. */
void ow_otel_otlp_write(struct ow_otel_json *j, const struct ow_otel_about *a,
			struct ow_otel_span *spans, size_t n);

#endif
