/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.h - the priority of the next call
 */
#ifndef OW_PRIORITY_H
#define OW_PRIORITY_H

struct ow_ctx;
struct ow_svc;

#pragma GCC visibility push(default)

/* The priority (1..100) of a call of service `s` that begins now; the value
 * of tpsprio() is used up. */
unsigned int ow_priority_take(struct ow_ctx *c, const struct ow_svc *s);

#pragma GCC visibility pop
#endif
