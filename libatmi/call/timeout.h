/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeout.h - how long a call may take
 */
#ifndef OW_TIMEOUT_H
#define OW_TIMEOUT_H

#include <stdint.h>

struct ow_ctx;

/* The time-out of the next call in ms; the value of tpsblktime(TPBLK_NEXT) is
 * used up. */
uint32_t ow_timeout_take(struct ow_ctx *c);
/* The deadline of a call with these flags that begins now. */
uint64_t ow_timeout_deadline(struct ow_ctx *c, long flags, uint64_t now_ns);
/* The same of what is not the program's call: TPBLK_NEXT stays. */
uint64_t ow_timeout_lasting(const struct ow_ctx *c, uint64_t now_ns);

#endif
