/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.h - instances between <min> and <max>, by load (<autoscale>)
 *
 * For each entry with <autoscale> the figures of its running instances in the
 * shared tables are sampled several times a second: how long have the requests
 * waited that were taken since the last sample? Requests that are not taken
 * because all instances are busy count as waiting too long. Above the
 * threshold for the time `after`: one more instance. Below a quarter of it,
 * with no request waiting, for the time `calm`: one less.
 */
#ifndef OW_SCALE_H
#define OW_SCALE_H

#include <stdbool.h>
#include <stdint.h>

struct ndrxd;
struct ow_config;
struct ow_config_scale;

/* State of an entry. All zero at first. */
struct ow_scale {
	uint64_t taken, wait_us; /* sums at the last sample */
	uint64_t t_over;	 /* above the threshold since; 0: not */
	uint64_t t_calm;	 /* calm since; 0: not */
};

/* One sample of an entry. */
struct ow_scale_sample {
	uint64_t now;	 /* ms */
	uint64_t taken;	 /* requests taken by its instances, ever */
	uint64_t wait_us; /* sum of their waits */
	uint32_t waiting; /* in its queues now */
	bool all_busy;
};

/* +1: another instance is due, -1: one less, 0. Pure policy, for tests: it
 * knows no process. After a non-zero result `after` and `calm` begin anew. */
int ow_scale_decide(struct ow_scale *s, const struct ow_config_scale *policy,
		    const struct ow_scale_sample *now);

/* For a new configuration: 0, -ENOMEM. */
int ow_scale_configure(struct ndrxd *d, const struct ow_config *config);
void ow_scale_close(struct ndrxd *d);

#endif
