/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - what a server publishes about its work, in its rows of ow_adv
 *
 * tables.h says what each word means. Called from the loop and the dispatcher
 * of the one thread that owns the rows: plain loads and stores, no locked
 * instruction.
 */
#ifndef OW_FIGURES_H
#define OW_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct ow_adv;
struct ow_msg;
struct ow_offer;

/* The row begins anew: a service is about to be published in it. */
void ow_figures_reset(struct ow_adv *a);

/* The server came out of its wait for this service's queue; `empty`: and
 * found nothing in it. */
void ow_figures_woken(struct ow_adv *a, bool empty);

/* A message has left the queue, at `now` (monotonic ns), to be served or
 * dropped. */
void ow_figures_taken(struct ow_adv *a, struct ow_offer *o,
		      const struct ow_msg *m);
/* It is going to be served. */
void ow_figures_begin(struct ow_adv *a, const struct ow_msg *m, uint64_t now);
/* It was served, in `us` microseconds. */
void ow_figures_end(struct ow_adv *a, bool failed, uint64_t us);
/* What counts as served has failed after all. */
void ow_figures_failed_after_all(struct ow_adv *a);

/* A look into the queue found `depth` messages; it began at `now`. */
void ow_figures_depth(struct ow_adv *a, uint32_t depth, uint64_t now);

#endif
