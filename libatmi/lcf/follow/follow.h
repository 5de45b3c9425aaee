/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - this process carries out commands of applications
 *
 * Functions are registered by code. Once a second, after a request was sent or
 * in a server's tick, a process that has some looks for commands that it has
 * not seen (slots.h) and calls the function of each that is for it.
 * A process without functions does nothing.
 */
#ifndef OW_LCF_FOLLOW_H
#define OW_LCF_FOLLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"

struct ow_domain;

/* Look for changes of the log, for commands in the domain of this thread, and
 * whether spans are wanted, if the last look was a second ago. `now_ns`:
 * monotonic. No lock may be held: functions of the program run. The word is 0
 * while spans are noted (span/note.h), so that each request comes by here. */
extern _Atomic uint64_t ow_lcf_next_look;
static inline bool ow_lcf_is_due(uint64_t now_ns)
{
	return now_ns >= ow_load_relaxed(&ow_lcf_next_look);
}
/* Is a look due, whether or not spans are noted? */
extern _Atomic uint64_t ow_lcf_due;
static inline bool ow_lcf_is_due_for_all(uint64_t now_ns)
{
	return now_ns >= ow_load_relaxed(&ow_lcf_due);
}
void ow_lcf_look(const struct ow_domain *d, uint64_t now_ns);
static inline void ow_lcf_tick(const struct ow_domain *d, uint64_t now_ns)
{
	if (ow_lcf_is_due(now_ns))
		ow_lcf_look(d, now_ns);
}

#endif
