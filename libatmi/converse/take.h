/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.h - messages of conversations that were received find their talk
 */
#ifndef OW_TAKE_H
#define OW_TAKE_H

struct ow_envelope;
struct ow_talk;
struct ow_talks;

enum ow_talk_took {
	OW_TALK_LATE = 1, /* it belongs to no talk, and was dropped */
	OW_TALK_DIRECT,	  /* the next message of the talk: the caller's */
};

#pragma GCC visibility push(default)

/*
 * A message of kind TALK, or a reply that no call waits for, was received: it
 * goes to its talk. 0; LATE; DIRECT if it is the next one of `direct` (NULL:
 * none) and nothing is kept before it: then the envelope still holds it, and
 * ow_talk_fetched() follows. Else the envelope is empty.
 */
int ow_talks_take(struct ow_talks *ts, struct ow_envelope *e,
		  const struct ow_talk *direct);

#pragma GCC visibility pop
#endif
