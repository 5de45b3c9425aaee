/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.h - messages of conversations that were received find their conversation
 */
#ifndef OW_TAKE_H
#define OW_TAKE_H

struct ow_envelope;
struct ow_conv;
struct ow_convs;

enum ow_conv_took {
	OW_CONV_LATE = 1, /* it belongs to no conversation, and was dropped */
	OW_CONV_DIRECT, /* the next message of the conversation: the caller's */
};

/*
 * A message of kind CONV, or a reply that no call waits for, was received: it
 * goes to its conversation. 0; LATE; DIRECT if it is the next one of `direct`
 * (NULL: none) and nothing is kept before it: then the envelope still holds it,
 * and ow_conv_fetched() follows. Else the envelope is empty.
 */
int ow_convs_take(struct ow_convs *ts, struct ow_envelope *e,
		  const struct ow_conv *direct);

#endif
