/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.h - one woken server at a time
 *
 * A byte in the FIFO beside a queue (fifo.h) wakes a server: the kernel walks
 * past all servers that work, which costs more than the rest of a call if
 * they are many. So while a woken server is on its way no other one is woken,
 * as on shm (shmq.h). The word `bell` of the service (tables.h) says so: 0, or
 * the time of the wake-up, with the bit MORE: other messages have come since.
 *
 * Sender: queue the message, change the word from 0 to the time, write a byte.
 * If the word is not 0 a server is on its way: set MORE, write no byte. If it
 * is late, after `pending_ns` (waking/constants.h; `waiting_ns` of services that
 * wait for something else than a CPU), it counts no more: store the time
 * and MORE, write a byte.
 *
 * Server: take a byte, change the word to 0, receive. If MORE was set, and the
 * queue still holds messages, do what a sender does, before the request is
 * served. If it holds several, MORE goes into the word together with the time:
 * the next server may come at once, and would not look. So a burst wakes one
 * server after the other.
 *
 * A server that has served a request, while the word is not 0, receives
 * without a byte (run.h). The server that is on its way may find nothing, as
 * after any surplus byte.
 *
 * Why no message stays while a server is idle. A message of a sender that
 * found 0 has its byte. One whose sender found the word not 0 was in the queue
 * before MORE was set, so before the server on its way changes the word to 0:
 * that server finds MORE, and looks after it has received. What comes later
 * finds 0.
 *
 * What a death leaves, or a stop, between any two steps:
 *	a sender, before it has changed the word: a message, nobody told: as
 *		before its byte without this word
 *	a sender, before its byte: the word, no byte
 *	a server, after the byte, before it has changed the word: the same
 *	a server, after that, before it has looked: messages, the word 0
 * In all four the next sender wakes a server, at once if the word is 0, else
 * when it is late, with MORE. A caller's nudge comes after 23 ms, ndrxd's
 * when a server dies, a poll after a second (fifo.h), whatever the word is. A
 * nudge sets MORE, so that the server looks after it has received.
 *
 * A caller's nudge is none if the word says that a server is on its way, and it
 * is not late: it sets MORE. Its message has been in the queue for longer than
 * that (call/await.c), so that server finds it, or finds MORE. Where 1,000
 * callers stand in line each waits long enough to nudge, and a byte for each
 * costs more than the call. If the server on its way dies within that time,
 * ndrxd nudges; if it is stopped, or the sender has died before its byte, the
 * next caller or sender finds the word late, or this one with its second nudge.
 *
 * A server that stands by (waking/standby.h). The server that arrives, and
 * finds that it is needless, leaves the message to those that work: it changes
 * the word not to 0, but to the time, MORE and STANDBY, and sleeps for
 * standby_ns. Then it looks whether the queue has messages, and decides again,
 * by how late it got its CPU for that; if others are still enough it changes the
 * time in the word, and sleeps again. Senders find a word that is not 0, and
 * wake nobody. It is late only after twice standby_ns. So one server of the
 * queue stands by, and it is the one that looks; a server that works and gives
 * way sleeps if it finds STANDBY, and stands by if it finds it late.
 *
 * STANDBY says: who works has not found the queue empty since. So
 *	a server that receives nothing changes a word with STANDBY to 0, tries
 *		once more, for the message of a sender that has relied on the
 *		word, and looks whether there are others;
 *	if the word has no STANDBY it sets EMPTY in it; the server on its way
 *		finds that, and does not stand by, because nobody may be awake
 *		for the message that it was woken for;
 *	a server that ends its work for another reason does the same, but if one
 *		stands by it looks for what else it has to do, and then receives
 *		again (standby.c).
 *
 * What a death, or a stop, leaves: of the server that stands by, a word with
 * STANDBY, which is late after 4 ms: as of a server on its way. Of one that
 * works: STANDBY is not taken away, and the server that stands by finds, at its
 * next look, that the queue has not moved, or that a CPU is free.
 *
 * The word of a queue that was made anew is 0. A server that joins a queue
 * nudges it: the queue may have been kept while nobody served it.
 */
#ifndef OW_BELL_H
#define OW_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/posix/posix.h"

#define OW_BELL_RUNG  UINT64_C(1) /* so that no time makes the word 0 */
#define OW_BELL_MORE  UINT64_C(2)
#define OW_BELL_STANDBY UINT64_C(4)
#define OW_BELL_EMPTY UINT64_C(8)
#define OW_BELL_SHIFT 4
#define OW_BELL_UNIT  1024 /* ns */

/* A FIFO with so many bytes gets none for a server that does not come: so many
 * have been woken, or none sleeps. */
#define OW_BELL_BYTES 64

static inline uint64_t ow_bell_word(uint64_t now_ns)
{
	return now_ns / OW_BELL_UNIT << OW_BELL_SHIFT | OW_BELL_RUNG;
}

/* ---- called by a sender, and by a server that has looked ---- */

/* Write the byte, after the word. */
void ow_bell_strike(struct posix_queue *q);
/* The rest of ow_bell_ring(), which has found `word`. */
void ow_bell_ring_again(struct posix_queue *q, uint64_t word, uint64_t more);

/* A message is queued, at about `now_ns`: wake a server, unless one is on its
 * way. more: 0, or MORE if there are several messages. */
static inline void ow_bell_ring(struct posix_queue *q, uint64_t now_ns,
				uint64_t more)
{
	uint64_t word = 0;

	if (atomic_compare_exchange_strong(&q->svc->bell, &word,
					   ow_bell_word(now_ns) | more))
		ow_bell_strike(q);
	else
		ow_bell_ring_again(q, word, more);
}

/* The queue holds messages: wake a server, even if one seems to be on its
 * way. */
void ow_bell_nudge(struct posix_queue *q);
/* Is a server on its way, and not late? Then it is told that there are more
 * messages. */
bool ow_bell_is_on_way(struct posix_queue *q);

/* ---- called by a server ---- */

/* It has taken a byte. False: it stands by. */
bool ow_bell_answer(struct posix_queue *q);
/* It has received nothing. True: it tries once more. */
bool ow_bell_was_empty(struct posix_queue *q);

/* It ends its work, and the queue may not be empty. True: one stands by, so it
 * receives again, or gives way. */
bool ow_bell_leaves(struct posix_queue *q);

static inline bool ow_bell_has_standby(const struct posix_queue *q)
{
	return (ow_load_relaxed(&q->svc->bell) & OW_BELL_STANDBY) != 0;
}

enum ow_bell_standby {
	OW_BELL_SERVES,	   /* it receives */
	OW_BELL_STANDS_BY, /* for another standby_ns */
	OW_BELL_SLEEPS,
};
/* It has stood by, until `due_ns`. */
enum ow_bell_standby ow_bell_look_again(struct posix_queue *q,
					uint64_t due_ns);
/* It gives way to others: STANDS_BY or SLEEPS. */
enum ow_bell_standby ow_bell_give_way(struct posix_queue *q);

/* It has received, and is to look for more. */
void ow_bell_look_on(struct posix_queue *q);

#endif
