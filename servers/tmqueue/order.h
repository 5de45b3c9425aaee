/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - keys of the messages that can be taken, in the order of a queue
 *
 * A key is the queue (4 bytes), the rank (1) and numbers (8 each, the greatest
 * byte first), the last of which is that of the message: keys are compared as
 * bytes, and a key that goes on comes behind the one that it continues. FIFO
 * reads forwards, LIFO backwards. A message has its own number only, but for
 * two that programs ask for:
 *
 *	TPQTOP		0, 0, ~number, number: before all that have a number,
 *			a later one before an earlier one. (Of LIFO the newest
 *			message is the first one anyway.)
 *	TPQBEFOREMSGID	the numbers of the other message, with the last one
 *			less 1, and the message's own: before that one, behind
 *			whatever is before it, and behind those that were put
 *			before the same one earlier. LIFO: those of the other
 *			message, ~number, number.
 *
 * Such numbers are part of the record of the message (struct order_place, behind
 * the trace): its place is the same after a rollback, a delay, a restart, and
 * when the other message is gone.
 */
#ifndef OW_TMQUEUE_ORDER_H
#define OW_TMQUEUE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_PLACE   0x3254514fu
#define ORDER_NUMBERS 24
#define ORDER_KEY     13 /* of a message with its own number only */
#define ORDER_KEY_MAX (5 + 8 * ORDER_NUMBERS)

/* The place that a program has asked for. `count` numbers are written. */
struct order_place {
	uint32_t magic; /* 0: none */
	uint32_t count;
	uint64_t numbers[ORDER_NUMBERS];
};

/* What order keys are made of. */
struct order_of {
	uint32_t queue;
	uint8_t rank;
	uint64_t number;
	const struct order_place *place; /* NULL: none */
};

/* Write the key; its length is returned. */
size_t order_key(uint8_t key[ORDER_KEY_MAX], const struct order_of *of);

/* The place at the top of a queue of this mode, of message `number`; none is
 * needed where the newest is the first. */
void order_top(struct order_place *ret, uint64_t number, bool lifo);
/* The place before message `other`, whose place is `at`. False: there is no
 * room for so many that are before each other. */
bool order_before(struct order_place *ret, uint64_t number, uint64_t other,
		  const struct order_place *at, bool lifo);

/* Bytes of the record of a place; 0: none. */
size_t order_size(const struct order_place *p);
/* Read one from the `len` bytes `at`; its size, or 0: that is none. */
size_t order_read(const char *at, size_t len, struct order_place *ret);

#endif
