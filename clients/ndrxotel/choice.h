/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice.h - which traces are sent: the slow, the failed, one in n
 *
 * The spans of a trace are held for a moment, then it is decided, once: all of
 * them go on, or none. Spans that come later follow the decision; a failed or
 * slow one is sent in any case. One in n is chosen by the trace id, so all
 * nodes choose the same ones.
 */
#ifndef OW_OTEL_CHOICE_H
#define OW_OTEL_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/ndrxotel/span.h"

struct ow_otel_choice;

struct ow_otel_wish {
	uint32_t one_in;  /* 1: all */
	bool sampled;	  /* and traces that their callers have sampled */
	uint64_t slow_ns; /* traces with a span that took longer; 0: none */
	uint64_t hold_ns;
	uint32_t most; /* spans that are held; the oldest trace is decided
			  early beyond that */
};

typedef void ow_otel_chosen_fn(void *arg, const struct ow_otel_span *s);

struct ow_otel_choice *ow_otel_choice_new(const struct ow_otel_wish *w,
					  ow_otel_chosen_fn *fn, void *arg);
/* Decide about all that is held. Accepts NULL. */
struct ow_otel_choice *ow_otel_choice_end(struct ow_otel_choice *c);

void ow_otel_choice_add(struct ow_otel_choice *c, const struct ow_otel_span *s,
			uint64_t now_ns);
/* Decide about traces whose time has come. */
void ow_otel_choice_tick(struct ow_otel_choice *c, uint64_t now_ns);

uint32_t ow_otel_choice_held(const struct ow_otel_choice *c);
uint64_t ow_otel_choice_left_out(const struct ow_otel_choice *c);

#endif
