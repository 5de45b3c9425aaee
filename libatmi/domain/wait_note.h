/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_note.h - what a context that waits notes for onlookers, in its slot
 *
 * The words `wait_*` of struct ow_clt. They are written when a wait has become
 * long (call/await.c, converse/converse.c): what comes sooner pays nothing. Of
 * two kinds, told apart by one word that is set last and cleared first:
 *
 *   a reply     wait_seq is the sequence of the call, wait_svc and
 *               wait_deadline_ns are its service and its deadline.
 *   a message   of a conversation: wait_seq is 0, wait_how has PEER.
 *               wait_deadline_ns is the context of the other end (slot << 32 |
 *               generation), wait_svc: for so many ms after wait_since_ns the
 *               queue was known to be empty.
 *
 * wait_how also has the thread that waits. Programs of before this word leave in
 * it what stood there: it counts if its BITS of the generation are those of the
 * slot. They know nothing of messages, and read no word while wait_seq is 0.
 *
 * A killed process leaves its note to the next context of the slot, which clears
 * it.
 */
#ifndef OW_WAIT_NOTE_H
#define OW_WAIT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

struct ow_clt;

/* A reply for which the context waits. */
struct ow_wait_reply {
	uint64_t seq;
	uint64_t since_ns, deadline_ns;
	uint32_t svc; /* 1 + service; 0: of another node, or not known */
	bool any;     /* another reply would do, too */
};

/* A message for which it waits: from the context that had this generation of
 * that slot. */
struct ow_wait_message {
	uint32_t slot, gen;
	uint64_t since_ns;  /* it has done nothing else since */
	uint64_t looked_ns; /* its queue was empty then; not before since_ns */
};

/* What onlookers read. */
struct ow_wait_note {
	uint32_t gen; /* of the context that waits */
	uint32_t tid; /* the thread that waits; 0: not known */
	bool for_message;
	struct ow_wait_reply reply;	/* for_message is false */
	struct ow_wait_message message; /* for_message is true */
};

/* By the thread that waits, for its own slot. */
void ow_wait_note_reply(struct ow_clt *c, const struct ow_wait_reply *w);
/* Again at each look: looked_ns moves. */
void ow_wait_note_message(struct ow_clt *c, const struct ow_wait_message *w);
/* The wait is over; or the slot is taken by a new context. */
void ow_wait_note_clear(struct ow_clt *c);

/* By any process that looks. False: it has noted nothing, or it changes. */
bool ow_wait_note_read(const struct ow_clt *c, struct ow_wait_note *ret);

#endif
