/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmq.h - a service's queue in shared memory, and whom to wake for it
 *
 * One sparse segment per service, `<shm>/<prefix>,shm,q,<SERVICE>`: a ring
 * (ring.h) for each priority, who serves it, and who of them is idle. No
 * locks: put, take and wake are steps that others can finish or repeat.
 *
 * Why no lock. A robust mutex around a simpler structure costs a tenth
 * (bench/run baseline), and survives SIGKILL; but a process that is stopped,
 * or has lost its CPU for long, inside it stops the service. Here nobody can:
 * each change is one compare-and-swap, and what follows from it (a tail that
 * has to move, a bit that has to be set) is done by whoever needs it.
 *
 * Priorities. `avail` has a bit for each ring that may hold something. A
 * sender puts its message in, then sets the bit if it is not set. A taker
 * goes through the bits from the highest; one that is found empty on the way
 * to a lower one is cleared, and looked at once more afterwards (a sender may
 * have relied on it). The last bit stays: with one priority in use nobody
 * ever writes the word. A death between message and bit, or between clearing
 * and looking, hides messages until the next sweep (ow_shmq_repair()).
 *
 * Depth. `sent` counts what was put in, `limit_at` says up to where nobody
 * has to look; who gets there counts what really lies in the rings and sets
 * it anew. A sender killed between counting and putting is corrected by that.
 *
 * Waking. Each server has a futex word, its bell (tables.h):
 *	AWAKE		it works, or looks into its queues
 *	IDLE		it sleeps or is about to; whoever makes it WOKEN wakes it
 *	WOKEN(row)	somebody has chosen it for the queue of that row
 * A server that finds nothing says IDLE, sets its bit in `idle` of each of
 * its queues, looks once more, sleeps. A sender puts its message, looks who
 * is idle, clears the bit it chose, makes IDLE to WOKEN, wakes. Each does its
 * store before its look, so one of them sees the other.
 *
 * Nobody is woken while a woken server is still on its way: `on_way` names it
 * and the time. It clears the word when it has taken a message (or found
 * none), and then, if more waits, wakes the next. So work is conserved:
 *	it is killed, stopped or slow	after ON_WAY_NS the next sender does not
 *			regard it (after MOVING_NS if others take messages
 *			meanwhile: then the CPUs are busy); a caller that
 *			waits looks after NUDGE_NS whether its queue moves,
 *			and wakes somebody else; an idle server looks once a
 *			second (of a crowd, OW_QUEUE_LOOKS of them do, and
 *			ndrxd); ndrxd when somebody dies
 *	the sender dies having claimed `on_way`	the same
 *	nobody was idle when the sender looked, meanwhile one went idle and
 *	another sender relied on the first	who gives `on_way` up looks again
 * Surplus wake-ups do no harm: who finds nothing goes back to sleep.
 *
 * Where services are quicker than a wake-up, few are woken: two for each CPU,
 * those of the lowest ranks (`few`, counted anew when a server comes or goes).
 * If none of them sleeps, and one at least works for this queue or is about
 * to look (not one that was woken and has not come, nor one that is in its
 * service for a millisecond, nor one that has a request of another queue in
 * hand: perhaps it waits for what lies in this one), a message waits for less time than another
 * server would take to come; without that bound a burst wakes tens of servers
 * one after the other, who then take the CPUs from those they serve. Servers
 * measure themselves (ow_queue_served()) and set `quick`; a service that
 * calls others is not. It is a guess about the next service. If that takes
 * long after all, in all of the few at once, the caller that waits wakes
 * somebody else after NUDGE_NS, from all ranks, and takes the guess back for
 * a while; where nobody waits, an idle server finds the message, as above.
 *
 * A server that nobody woke, whose second is over, finds messages in a busy
 * queue nearly always: those of senders that have not looked yet, or that a
 * woken server is coming for. It must not take them: of 4,000 idle servers
 * there are 4,000 such looks a second, and each would bring a cold server in
 * place of a warm one. So it wakes as a sender would (the warm one first;
 * perhaps that is itself), does not count as having gone idle last, and takes
 * only what nobody is coming for and has lain between two looks
 * (ow_queue_care()).
 *
 *	hot	the server that went idle last, else the one with the lowest
 *		rank: the same few serve as long as they suffice
 *	even	in turn, from the one woken last
 */
#ifndef OW_SHMQ_H
#define OW_SHMQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_shmq;

#define OW_SHMQ_LIMIT 8192u  /* messages, unless NDRX_MSGMAX says otherwise */
#define OW_SHMQ_MAX   65536u /* the largest limit */

/* The bell of a server: values of ow_srv.bell. */
enum {
	OW_WORD_AWAKE = 0,
	OW_WORD_IDLE = 1,
	OW_WORD_WOKEN = 2, /* + row of the queue it was woken for */
	OW_WORD_KICKED = 0x10000, /* for no queue: look at everything */
};

enum ow_shmq_result {
	OW_SHMQ_GONE = 1,
	OW_SHMQ_FULL = 2,
	OW_SHMQ_EMPTY = 3,
	OW_SHMQ_NOSPACE = 4, /* the shared-memory file system is full */
};

#pragma GCC visibility push(default)

/* The queue of service `svc`, mapped once per process. `*limit` is a wish,
 * and what it became. 0, GONE, NOSPACE, -errno. */
int ow_shmq_create(struct ow_domain *d, const char *svc, uint32_t *limit,
		   struct ow_shmq **ret);
int ow_shmq_open(struct ow_domain *d, const char *svc, struct ow_shmq **ret);
struct ow_shmq *ow_shmq_close(struct ow_shmq *q);
int ow_shmq_remove(struct ow_domain *d, const char *svc);

/* Put a QUEUED block in: 0, FULL, NOSPACE, -EBADMSG. Wakes nobody. */
int ow_shmq_put(struct ow_shmq *q, uint64_t ref, unsigned int prio);
/* Take the first of the highest priority, TAKEN by us: 0, EMPTY, -EBADMSG. */
int ow_shmq_take(struct ow_shmq *q, uint64_t *ret_ref);
bool ow_shmq_waits(const struct ow_shmq *q);
uint32_t ow_shmq_depth(const struct ow_shmq *q);
/* Messages taken out since it was made. */
uint64_t ow_shmq_taken(const struct ow_shmq *q);
/* Does a block lie in it, whose sender is dead? */
bool ow_shmq_holds(const struct ow_shmq *q, uint64_t ref);
/* Make hidden messages visible again; anybody, once a second. */
void ow_shmq_repair(struct ow_shmq *q);

/* Sleep until there may be room, at most until `until_ns`: 0, -EINTR,
 * -ETIMEDOUT. The caller tries again in any case. */
int ow_shmq_wait_room(struct ow_shmq *q, uint64_t until_ns);

/* ---- servers of the queue ---- */

/* Enter as one of its servers; domain lock held. 0, NOSPACE, -ENOSPC. */
int ow_shmq_join(struct ow_shmq *q, uint32_t srvid, uint32_t row,
		 uint32_t *ret_rank);
/* Leave; also for a dead server: every rank of `srvid`. Domain lock held. */
void ow_shmq_leave(struct ow_shmq *q, uint32_t srvid);
/* This server looks into the queue for the last time before it sleeps; warm:
 * it has worked since it slept last. */
void ow_shmq_say_idle(struct ow_shmq *q, uint32_t rank, bool warm);
/* It was woken for this queue and has looked: the next sender may wake
 * somebody. More waits: the next one is woken here. */
void ow_shmq_arrived(struct ow_shmq *q, uint32_t rank);

/* Services are so quick that a few servers do (see above); or not. */
void ow_shmq_say_quick(struct ow_shmq *q, bool quick);

/* Messages wait: wake one idle server, unless one is on its way. now: a recent
 * reading of the monotonic clock, 0: none. */
void ow_shmq_notify(struct ow_shmq *q, uint64_t now);
/* The same, regarding nobody as on its way. True: somebody was woken. */
bool ow_shmq_nudge(struct ow_shmq *q);
/* Is a woken server on its way, and not late? */
bool ow_shmq_expects(const struct ow_shmq *q, uint64_t now);

#pragma GCC visibility pop
#endif
