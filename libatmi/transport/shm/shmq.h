/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmq.h - the queue of one service in shared memory
 *
 * One sparse segment per service, `<shm>/<prefix>,shm/q,<SERVICE>`, holds a
 * ring (ring.h) for each priority, the servers of the queue, and one bit per
 * server that says whether it is idle. There are no locks: put, take and wake
 * consist of steps that any other process can finish or repeat.
 *
 * Why no lock. A robust mutex around a simpler structure costs a tenth
 * (bench/run baseline) and survives SIGKILL. But a process that is stopped,
 * or loses its CPU for long, while it holds the mutex stops the service. Here
 * no process can do that: each change is one compare-and-swap, and what must
 * follow it (moving a tail, setting a bit) is done by the process that needs
 * it.
 *
 * Priorities. `avail` has a bit for each ring that may hold messages. A
 * sender puts its message, then sets the bit unless it is set. A taker goes
 * through the bits from the highest. If a ring is empty and a lower ring may
 * hold messages, the taker clears the bit of the empty ring and checks that
 * ring once more, because a sender may have relied on the bit. The last bit
 * stays set: with one priority in use no process ever writes the word. A
 * process that dies between message and bit, or between clearing and
 * checking, hides messages until the next sweep (ow_shmq_repair()).
 *
 * Depth. `sent` counts messages put. While `sent` is below `limit_at` a
 * sender need not count the messages in the rings. The sender that reaches
 * `limit_at` counts them and sets `limit_at` anew; this also corrects the
 * count of a sender that was killed between counting and putting.
 *
 * Senders that wait for room go in the order of their coming: line.h.
 *
 * Wake words. Each server has a futex word (tables.h):
 *	AWAKE		the server works, or checks its queues
 *	IDLE		the server sleeps or is about to; the process that
 *			changes IDLE to WOKEN wakes it
 *	LOOKING		the same, but it does not sleep yet: it looks at the
 *			word, for microseconds (transport/looking.h). The
 *			process that changes LOOKING to WOKEN makes no system
 *			call
 *	WOKEN(row)	a process has chosen it for the queue of that row
 * A server that finds no message stores IDLE, sets its bit in `idle` of each
 * of its queues, checks the queues once more, sleeps. A sender puts its
 * message, reads the idle bits, clears the bit of the server it chose,
 * changes the wake word from IDLE to WOKEN, wakes. Server and sender both
 * store before they read, so at least one of them sees the other's store. A
 * server that looks first does the same with LOOKING in place of IDLE. When
 * its look is over it changes LOOKING to IDLE, which fails if it was chosen,
 * and sleeps; a process that wakes it tries again if the word has just become
 * IDLE (ow_word_wake()).
 *
 * Pending wake-up. While a woken server is on its way to a queue, no other
 * server is woken for it: `pending_wake` holds the server's rank and the
 * time. The server clears the word when it has taken a message or found none;
 * if messages are left, it then wakes the next server. No message is left
 * behind while a server is idle, although
 *	the woken server is killed, stopped or slow
 *		The next sender ignores a pending wake-up older than
 *		pending_ns. A caller that waits for its reply nudges the queue
 *		after nudge_ns (call/await.c). An idle server polls once a
 *		second; of many servers only as many as `pollers` do, and ndrxd
 *		nudges the queue. ndrxd also nudges when a server dies.
 *	the sender dies after it has claimed `pending_wake`
 *		As above.
 *	a server goes idle after a sender has read the idle bits, while a
 *	second sender relies on the first
 *		A process that clears `pending_wake` checks the queue again.
 * A surplus wake-up does no harm: a server that finds nothing sleeps again.
 *
 * A server that stands by (waking/standby.h, and posix/bell.h for the same with
 * other words). A woken server that is needless takes no message: it changes
 * the pending wake-up from its own to that of OW_SHMQ_STANDBY, with the time,
 * and sleeps for standby_ns, idle as before. Then it looks whether the queue has
 * messages, and decides again: it changes the time, or takes a message, and
 * wakes the next server as if it had been woken. Senders take it for a server
 * on its way, late after twice standby_ns. A server that works and gives way
 * goes to sleep while one stands by who is not late.
 *	That says: who works has not found the queue empty since. A server that
 * finds it empty, before it goes idle, changes the word to 0 if one stands by,
 * and then checks the queue, as always. Else it stores the pending wake-up in
 * `emptied`, and reads the word again; the server that stands by has changed
 * the word, and then reads `emptied`: at least one of them sees the other's
 * store. If it finds its own wake-up there it takes the message, because nobody
 * may be awake for it.
 *	A server that is killed or stopped while it stands by leaves a wake-up
 * that is late after 4 ms. One that is killed between two of these steps leaves
 * one of the words above.
 *
 * Polling. An idle server that polls (its sleep timed out) finds messages in
 * a busy queue nearly always: a sender has not read the idle bits yet, or a
 * woken server is on its way. The polling server must not take them: 4,000
 * idle servers poll 4,000 times a second, and each time a cold server would
 * work in place of a warm one. So it wakes a server as a sender would (the
 * warm one first; perhaps itself), does not become `last_idle`, and takes
 * only messages that no woken server is on its way for and that did not move
 * between two polls (ow_queue_attendance()).
 *
 * The decisions themselves, and the constants that have small letters here, are
 * in libatmi/waking.
 *
 * Choice of the server to wake
 *	hot	the server that went idle last, else the idle server with the
 *		lowest rank: the same few servers work while they suffice
 *	even	in turn, after the server woken last
 */
#ifndef OW_SHMQ_H
#define OW_SHMQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_place;
struct ow_shmq;

#define OW_SHMQ_LIMIT 8192u  /* messages, unless NDRX_MSGMAX says otherwise */
#define OW_SHMQ_MAX   65536u /* the largest limit */

/* Values of a server's wake word (ow_srv.wake_word). */
enum {
	OW_WORD_AWAKE = 0,
	OW_WORD_IDLE = 1,
	OW_WORD_WOKEN = 2, /* + row of the queue it was woken for */
	OW_WORD_KICKED = 0x10000, /* woken for no queue: check everything */
	OW_WORD_LOOKING = 0x10001, /* IDLE, but looks at this word */
};

enum ow_shmq_result {
	OW_SHMQ_GONE = 1,
	OW_SHMQ_FULL = 2,
	OW_SHMQ_EMPTY = 3,
	OW_SHMQ_NOSPACE = 4, /* the shared-memory file system is full */
};

/* The queue of service `svc`, mapped once per process. `*limit` is the limit
 * wanted, and on return the limit it has. 0, GONE, NOSPACE, -errno. */
int ow_shmq_create(struct ow_domain *d, const char *svc, uint32_t *limit,
		   struct ow_shmq **ret);
int ow_shmq_open(struct ow_domain *d, const char *svc, struct ow_shmq **ret);
struct ow_shmq *ow_shmq_close(struct ow_shmq *q);
int ow_shmq_remove(struct ow_domain *d, const char *svc);

/* Put a QUEUED block: 0, FULL (or it is not the turn of this sender: `place`,
 * line.h), NOSPACE, -EBADMSG. Wakes no server. */
int ow_shmq_put(struct ow_shmq *q, uint64_t ref, unsigned int prio,
		struct ow_place *place);
/* Take the first block of the highest priority, which becomes TAKEN by this
 * process: 0, EMPTY, -EBADMSG. */
int ow_shmq_take(struct ow_shmq *q, uint64_t *ret_ref);
bool ow_shmq_has_message(const struct ow_shmq *q);
uint32_t ow_shmq_depth(const struct ow_shmq *q);
/* The cells of its blocks, `max` at most, in the order of taking. For
 * onlookers. */
uint32_t ow_shmq_waiting(const struct ow_shmq *q, uint64_t *ret_cells,
			 uint32_t max);
/* Messages taken since the queue was created. */
uint64_t ow_shmq_taken(const struct ow_shmq *q);
/* Does the queue hold this block, whose sender is dead? */
bool ow_shmq_holds(const struct ow_shmq *q, uint64_t ref);
/* Make hidden messages visible again. Any process, once a second. */
void ow_shmq_repair(struct ow_shmq *q);

/* Sleep until there may be room for this sender, which takes a place in the
 * line, at most until `until_ns`: 0, -EINTR, -ETIMEDOUT. The caller tries again
 * in any case, or gives its place back (ow_line_leave()). */
int ow_shmq_wait_room(struct ow_shmq *q, struct ow_place *place,
		      uint64_t until_ns);
/* The same without the sleep: has it room now? */
bool ow_shmq_has_room(struct ow_shmq *q, struct ow_place *place);

/* ---- servers of the queue ---- */

/* Add a server to the queue; domain lock held. 0, NOSPACE, -ENOSPC. */
int ow_shmq_join(struct ow_shmq *q, uint32_t srvid, uint32_t row,
		 uint32_t *ret_rank);
/* Remove a server, living or dead: all ranks of `srvid`. Domain lock held. */
void ow_shmq_leave(struct ow_shmq *q, uint32_t srvid);
/* This server is about to sleep and will check the queue once more. warm: it
 * has worked since its last sleep. */
void ow_shmq_set_idle(struct ow_shmq *q, uint32_t rank, bool warm);
/* This server was woken for the queue and has checked it: the next sender may
 * wake a server. If messages are left, a server is woken here. */
void ow_shmq_finish_wake(struct ow_shmq *q, uint32_t rank);

/* The queue has messages: wake one idle server, unless a wake-up is pending.
 * now: a recent reading of the monotonic clock, 0: none. */
void ow_shmq_notify(struct ow_shmq *q, uint64_t now);
/* The same in spite of a pending wake-up. True: a server was woken. */
bool ow_shmq_nudge(struct ow_shmq *q);
/* The same for a caller, of whom many may wait: not while a server is on its
 * way, or stands by, and is not overdue. */
void ow_shmq_nudge_of_many(struct ow_shmq *q);
/* Is a woken server on its way, and not overdue? */
bool ow_shmq_wake_is_pending(const struct ow_shmq *q, uint64_t now);

#endif
