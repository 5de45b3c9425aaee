/* SPDX-License-Identifier: Apache-2.0 */
/*
 * right.h - the right to bring a message back, which its consumer could not read
 *
 * Who may bring it back: the one that was given it, as it was. The answer that
 * gives a message has a number, its *right*, which only this space can make: a
 * keyed hash of the message's number, place, head and content, and of the context
 * that asked for it. So nobody brings back what he was not given, nor something
 * else in its place; and nothing need be remembered of what was given. The key is
 * in the data base: a right outlives this process.
 */
#ifndef OW_TMQUEUE_RIGHT_H
#define OW_TMQUEUE_RIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmqueue/job.h"
#include "servers/tmqueue/space.h"

/* In a batch: read the key, or make it. 0, FULL, -errno. */
int right_open(struct space *sp);
/* The right to put back what the answer `a` with its `payload` gives to the caller
 * of `j`. */
uint64_t right_of(const struct space *sp, const struct job *j,
		  const struct ow_mq_answer *a, const char *payload);
/* Is what the request of `j` brings back what its sender was given? */
bool right_is_given(const struct space *sp, const struct job *j);

/* SipHash-2-4 of `len` bytes. */
uint64_t right_hash(const uint8_t key[16], const void *data, size_t len);

#endif
