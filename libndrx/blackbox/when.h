/* SPDX-License-Identifier: Apache-2.0 */
/*
 * when.h - a time as an operator types it
 */
#ifndef OW_BB_WHEN_H
#define OW_BB_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 03:12, 03:12:30: the last such time before `now_ns`. 2026-11-27 03:12:30,
 * with T or a blank between; seconds may be left out. 90s, 10m, 2h: so long
 * before. Local time. False: it is none of these. All are wall clock, in ns.
 */
bool ow_bb_when(const char *text, uint64_t now_ns, uint64_t *ret);

/* The second time of a span that begins at `from_ns`: a time of the day is the
 * first one after it, be it past or to come. */
bool ow_bb_when_after(const char *text, uint64_t now_ns, uint64_t from_ns,
		      uint64_t *ret);

/* "2026-11-27 03:12:30"; `buf`. */
const char *ow_bb_when_text(uint64_t real_ns, char buf[32]);

#endif
