/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - the statistics of a server, in its rows of ow_adv
 *
 * tables.h says what each word means. The one thread that owns the rows calls
 * these from loop.c and dispatch.c: plain loads and stores, no locked
 * instructions.
 */
#ifndef OW_FIGURES_H
#define OW_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct ow_adv;
struct ow_msg;
struct ow_offer;

/* Zero the row: a service is about to be published in it. */
void ow_figures_reset(struct ow_adv *a);

/* The server was woken for this service's queue; empty: the queue was. */
void ow_figures_woken(struct ow_adv *a, bool empty);

/* A message was taken from the queue, to be served or dropped. */
void ow_figures_taken(struct ow_adv *a, struct ow_offer *o,
		      const struct ow_msg *m);
/* The request is about to be served, at `now` (monotonic ns). */
void ow_figures_begin(struct ow_adv *a, const struct ow_msg *m, uint64_t now);
/* The request was served, in `us` microseconds. */
void ow_figures_end(struct ow_adv *a, bool failed, uint64_t us);
/* A request that was counted as served has failed. */
void ow_figures_failed_after_all(struct ow_adv *a);

/* A poll that began at `now` found `depth` messages. */
void ow_figures_depth(struct ow_adv *a, uint32_t depth, uint64_t now);

#endif
