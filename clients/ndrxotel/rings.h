/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings.h - take the spans of all processes of the domain
 *
 * The rings are files (libatmi/span/ring.h). New ones are looked for a few
 * times a second; that of a dead process is removed when it is empty.
 */
#ifndef OW_OTEL_RINGS_H
#define OW_OTEL_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxotel/span.h"

struct ow_domain;
struct ow_otel_rings;

typedef void ow_otel_take_fn(void *arg, const struct ow_otel_span *s);

struct ow_otel_ring_counts {
	uint64_t read, dropped, torn;
	uint32_t rings;
};

/* Be the reader of the domain of the environment: 0; -EAGAIN, there is another
 * one, or -ENOENT, no domain runs: `why`. */
int ow_otel_rings_open(struct ow_otel_rings **ret, char *why, size_t size);
struct ow_otel_rings *ow_otel_rings_close(struct ow_otel_rings *r);

const struct ow_domain *ow_otel_rings_domain(const struct ow_otel_rings *r);
/* Take what is there. True: a ring was more than a quarter full: come back
 * soon. */
bool ow_otel_rings_take(struct ow_otel_rings *r, ow_otel_take_fn *fn,
			void *arg);
/* Which they note: of one trace in `one_in` all (1: of all traces), of others
 * what failed or took more than `slow_ms` (0: no limit). */
void ow_otel_rings_choose(struct ow_otel_rings *r, uint32_t one_in,
			  uint32_t slow_ms);
/* Have processes note spans for the next seconds, or no longer. */
void ow_otel_rings_want(struct ow_otel_rings *r, bool want);
void ow_otel_rings_count(const struct ow_otel_rings *r,
			 struct ow_otel_ring_counts *ret);

#endif
