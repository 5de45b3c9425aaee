/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.h - send messages to the other end of a conversation
 *
 * A message without data is never waited for. What must not get lost (that the
 * conversation was accepted, that it is over) is postponed while the reply
 * queue of the other end is full (transport/record.h); how many messages were
 * fetched is said again later.
 */
#ifndef OW_POST_H
#define OW_POST_H

#include <stdbool.h>
#include <stdint.h>

struct ow_envelope;
struct ow_msg;
struct ow_conv;
struct ow_convs;

/* Is the other end's context still there? Quick: one load. */
bool ow_conv_is_there(const struct ow_convs *ts, const struct ow_conv *t);
/* The same, and does its process live? Reads /proc. */
bool ow_conv_lives(const struct ow_convs *ts, const struct ow_conv *t);

/* Have the queue of the other end open: 0, OW_QUEUE_GONE, -errno. */
int ow_conv_reach(struct ow_convs *ts, struct ow_conv *t);
/* The header of the next message with data. */
void ow_conv_head(const struct ow_convs *ts, const struct ow_conv *t,
		  struct ow_msg *m);
/* Queue it before the deadline; results as of ow_queue_send(). The queue is
 * open. */
int ow_conv_post(struct ow_convs *ts, struct ow_conv *t, struct ow_envelope *e,
		 uint64_t deadline);

/* This end has accepted: 0, OW_QUEUE_GONE, -errno. */
int ow_conv_accept(struct ow_convs *ts, struct ow_conv *t);
/* Say how many messages the program has fetched. */
void ow_conv_acknowledge(struct ow_convs *ts, struct ow_conv *t);
/* Say that the conversation is over, if the other end does not know. */
void ow_conv_hang_up(struct ow_convs *ts, struct ow_conv *t);
/* The same of all conversations. Accepts NULL. */
void ow_convs_hang_up(struct ow_convs *ts);
/* No conversation is here for message `m`: say so to the end that it came
 * from. */
void ow_conv_refuse(struct ow_convs *ts, const struct ow_msg *m);

#endif
