/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.h - one-way requests that a bridge could not pass on
 *
 * Nobody waits for their answer. What is known to be not delivered is named in the
 * log of the bridge that knows it; what was sent over a link that is lost may have
 * arrived, and is not. doc/design/restarts.md
 */
#ifndef OW_BRIDGE_LOST_H
#define OW_BRIDGE_LOST_H

struct ow_br_frame;
struct ow_domain;

/* The request is not delivered, `why` (a literal): name it, and count it, if it is a
 * one-way request of a program. `d` NULL: a test. */
void ow_br_lost(struct ow_domain *d, const struct ow_br_frame *f,
		const char *why);

#endif
