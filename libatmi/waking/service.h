/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.h - are the services of a queue short: what its servers learn
 *
 * Each server counts its short services in a row. One long service among
 * short ones is an exception (the server may have lost its CPU), two are not.
 * The time of a service that calls others says little.
 */
#ifndef OW_WAKING_SERVICE_H
#define OW_WAKING_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

enum ow_waking_services {
	OW_WAKING_UNCLEAR, /* as before */
	OW_WAKING_SHORT,
	OW_WAKING_LONG,
};

/* A service took `took_ns`, and called others or not. *in_a_row is the
 * server's count. */
static inline enum ow_waking_services
ow_waking_served(const struct ow_waking *k, uint32_t *in_a_row,
		 uint64_t took_ns, bool called)
{
	uint32_t enough = (uint32_t)k->short_min;

	if (took_ns < k->short_ns && !called)
		*in_a_row += *in_a_row < enough;
	else if (*in_a_row > 0)
		*in_a_row = *in_a_row == enough ? 1 : 0;
	if (*in_a_row == enough)
		return OW_WAKING_SHORT;
	return *in_a_row == 0 ? OW_WAKING_LONG : OW_WAKING_UNCLEAR;
}

/* Is the clock to be read before the next request? */
static inline bool ow_waking_was_slow(const struct ow_waking *k,
				      uint64_t took_ns)
{
	return took_ns >= k->slow_ns;
}

/* Another round of work: is the clock to be read? *rounds 0: yes. */
static inline bool ow_waking_clock_due(const struct ow_waking *k,
				       uint32_t *rounds)
{
	bool due = *rounds == 0;

	if (++*rounds >= k->clock_every)
		*rounds = 0;
	return due;
}

#endif
