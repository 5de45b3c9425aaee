/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - look at the figures of the domain, and send them in intervals
 *
 * They have an outbox of their own: metrics never wait behind spans. Temporality
 * is cumulative, so what could not be sent costs resolution and no counts.
 */
#ifndef OW_OTEL_MEASURE_H
#define OW_OTEL_MEASURE_H

#include <stdint.h>

#include "clients/ndrxotel/outbox.h"

struct ow_otel_measure;

/* Takes the way over, also if it fails: NULL, no memory. */
struct ow_otel_measure *ow_otel_measure_open(const struct ow_otel_way *way,
					     const struct ow_otel_about *about,
					     uint64_t interval_ns);
/* Look if a second has passed, send if the interval has. Accepts NULL. */
void ow_otel_measure_tick(struct ow_otel_measure *m, uint64_t now_ns);
/* Data points that were sent, dropped, wait. */
void ow_otel_measure_count(struct ow_otel_measure *m,
			   struct ow_otel_out_counts *ret);
/* Send once more, until `until_ns` at most; as ow_otel_outbox_end(). */
void ow_otel_measure_end(struct ow_otel_measure *m, uint64_t until_ns);
/* After that: wait for its end. Accepts NULL. */
struct ow_otel_measure *ow_otel_measure_close(struct ow_otel_measure *m);

#endif
