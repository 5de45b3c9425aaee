/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - the figures of the domain as OTLP wants them: metrics in JSON
 *
 * The same families as ndrxmetrics has, of the same table: what is a metric in
 * OpenMetrics is one here, under its name without the suffix _total, so that a
 * collector which writes for Prometheus gives it the same name again. What
 * OpenTelemetry has names for has these (doc/metrics.md).
 */
#ifndef OW_OTEL_FIGURES_H
#define OW_OTEL_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxotel/about.h"

struct ow_figures;
struct ow_otel_json;

/* An ExportMetricsServiceRequest of now; *ret_n: data points in it. Counters
 * are cumulative since `begin_ns` (wall clock). */
void ow_otel_figures_write(struct ow_otel_json *j,
			   const struct ow_otel_about *a,
			   const struct ow_figures *f, uint64_t begin_ns,
			   size_t *ret_n);

#endif
