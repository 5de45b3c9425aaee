/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.h - does a server wait while it serves?
 *
 * A server of services that compute runs under SCHED_BATCH: when it is woken it
 * pushes nobody off a CPU. A service that waits, for a database, a network,
 * another service, needs a CPU for microseconds when its wait is over; under
 * SCHED_BATCH it gets one when those who run there sleep or have used their
 * slices up. So its server runs under the usual policy (libatmisrv/policy.h).
 *
 * A request that took less than `waits_ns` has not waited. After one that took
 * longer the switches of the next are counted, which costs two system calls: a
 * voluntary one is a wait. The last requests decide, by a score between two
 * bounds far apart, so that a server of both kinds does not change often. Once
 * several in a row have said the same, one of OW_WAITS_EACH is counted, and the
 * others are taken to be as it was: else a few short ones among them would soon
 * have the score.
 */
#ifndef OW_WAKING_WAITS_H
#define OW_WAKING_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

#define OW_WAITS_MOST 8u   /* the score */
#define OW_WAITS_WAITS 6u  /* from here on the server waits */
#define OW_WAITS_NOT 2u	   /* up to here it does not */
#define OW_WAITS_EACH 16u

/* What a server has learned. All zero at first. */
struct ow_waits {
	uint32_t score;
	uint32_t agreed;  /* of those counted, in a row: as `waits` says */
	uint32_t skipped; /* long ones since one was counted */
	bool waits;
	bool counts; /* the switches of the next request */
};

/*
 * A request was served in `took_ns`; if l->counts, with so many voluntary
 * `switches`. True: l->waits has changed.
 */
static inline bool ow_waits_served(struct ow_waits *l,
				   const struct ow_waking *k, uint64_t took_ns,
				   long switches)
{
	bool was = l->waits, is_long = took_ns >= k->waits_ns;
	bool known = l->waits && l->agreed >= OW_WAITS_MOST;
	bool waited = is_long && (l->counts ? switches > 0 : known);

	if (l->counts)
		l->agreed = waited != l->waits	     ? 0
			    : l->agreed < OW_WAITS_MOST ? l->agreed + 1
							: l->agreed;
	if (waited)
		l->score += l->score < OW_WAITS_MOST;
	else if (l->counts || !is_long)
		l->score -= l->score > 0;
	if (l->score >= OW_WAITS_WAITS)
		l->waits = true;
	else if (l->score <= OW_WAITS_NOT)
		l->waits = false;
	if (l->waits != was)
		l->agreed = 0;
	l->counts = is_long && (l->agreed < OW_WAITS_MOST ||
				++l->skipped >= OW_WAITS_EACH);
	if (l->counts)
		l->skipped = 0;
	return l->waits != was;
}

#endif
