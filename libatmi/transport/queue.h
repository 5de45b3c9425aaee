/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - one request or reply queue, with deadlines
 *
 * Stations 3 and 7 of a call: every request and reply passes through here.
 * The only door to a transport. A message is queued whole or not at all. A
 * queue object belongs to one thread. Names are given without the domain's
 * prefix: "svc,BALANCE".
 *
 * Deadlines are CLOCK_MONOTONIC nanoseconds; OW_QUEUE_FOREVER waits without
 * limit, OW_QUEUE_NOWAIT not at all. A wait that a signal handler interrupts
 * returns OW_QUEUE_SIGNAL; the caller decides on a retry.
 */
#ifndef OW_QUEUE_H
#define OW_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/domain.h"

struct ow_queue;
struct ow_waitset;

enum ow_queue_result {
	OW_QUEUE_GONE = 1,  /* open: no such queue, its servers have left */
	OW_QUEUE_FULL,	    /* send: no room, and the caller would not wait */
	OW_QUEUE_EMPTY,	    /* receive: nothing there, would not wait */
	OW_QUEUE_TIMEOUT,   /* nothing happened until the deadline */
	OW_QUEUE_SIGNAL,    /* interrupted */
	OW_QUEUE_LIMIT,	    /* create: the kernel's limits are exhausted */
};

/* Who comes for the messages in a queue? */
enum ow_queue_care {
	OW_QUEUE_CARED, /* somebody is on the way, or has just taken one */
	OW_QUEUE_DOUBT, /* look again in a moment: then it moves or is LEFT */
	OW_QUEUE_LEFT,	/* nobody, as far as can be told: take them */
};

#define OW_QUEUE_FOREVER UINT64_C(0)
#define OW_QUEUE_NOWAIT	 UINT64_C(1)

struct ow_queue_shape {
	uint32_t maxmsg;
	uint32_t msgsize;
};

#pragma GCC visibility push(default)

/*
 * Create (or join) the queue `name`. The shape is a wish: smaller ones are
 * tried when the limits refuse it; *shape says what it became.
 */
int ow_queue_create(struct ow_domain *d, const char *name,
		    struct ow_queue_shape *shape, struct ow_queue **ret);
int ow_queue_open(struct ow_domain *d, const char *name,
		  struct ow_queue **ret);
/* The same for the reply queue of a client slot (tables.h), which names it. */
int ow_queue_create_reply(struct ow_domain *d, uint32_t slot,
			  struct ow_queue_shape *shape, struct ow_queue **ret);
int ow_queue_open_reply(struct ow_domain *d, uint32_t slot,
			struct ow_queue **ret);
struct ow_queue *ow_queue_close(struct ow_queue *q);
static inline void ow_queue_closep(struct ow_queue **q)
{
	*q = ow_queue_close(*q);
}
/* Remove the name, and the bell; the queue itself lives while somebody has it
 * open. */
int ow_queue_remove(struct ow_domain *d, const char *name);
int ow_queue_remove_reply(struct ow_domain *d, uint32_t slot);

/*
 * A message of ours (msg.h) that names a block is sent with it: on shm the
 * block is the message from then on. One that does not must fit.
 */
int ow_queue_send(struct ow_queue *q, const void *msg, size_t len,
		  unsigned int prio, uint64_t deadline_ns);
/* `size` at least ow_queue_msgsize(q). On shm a message always names a block:
 * it is the receiver's, who frees it, also when there is no payload. */
int ow_queue_recv(struct ow_queue *q, void *buf, size_t size,
		  uint64_t deadline_ns, size_t *ret_len);
/* Messages waiting now. */
int ow_queue_depth(struct ow_queue *q, uint32_t *ret_depth);
/* The same by name, for listings: GONE, 0. */
int ow_queue_peek(struct ow_domain *d, const char *name, uint32_t *ret_depth);
int ow_queue_peek_reply(struct ow_domain *d, uint32_t slot,
			uint32_t *ret_depth);
size_t ow_queue_msgsize(const struct ow_queue *q);
/* Messages have waited for long: see that somebody comes for them, though it
 * looks as if somebody were on the way. Harmless at any time. */
void ow_queue_nudge(struct ow_queue *q);
/* Idle servers look into their queues without having been woken: so many of a
 * queue's each second. Of more, each does so the less often, and ndrxd looks
 * every second (ow_reap_nudge_crowds()). */
#define OW_QUEUE_LOOKS 128u

/* A server found messages without having been woken for them: are they to be
 * left to others? A transport that cannot tell says LEFT. */
enum ow_queue_care ow_queue_care(struct ow_queue *q);
/* A server has served one of its messages in `took_ns`, and called others for
 * it or not: those who wake servers take it into account. */
void ow_queue_served(struct ow_queue *q, uint64_t took_ns, bool called);
/* So many replies may come to a reply queue: 0, LIMIT. */
int ow_queue_expect(struct ow_queue *q, uint32_t replies);
/* Wait until `full` has room or `in` has a message; TIMEOUT, SIGNAL. */
int ow_queue_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline_ns);

/* ---- what a server waits on ---- */

#define OW_WAITSET_TICK UINT32_C(0xfffffffe)
#define OW_WAITSET_KICK UINT32_C(0xffffffff)

enum ow_waitset_fd {
	OW_FD_WATCHED, /* any descriptor */
	OW_FD_RUNG,    /* who writes to its other end calls ow_srv_ring() */
};

/* For server `srvid`, whose slot is taken. */
int ow_waitset_open(struct ow_domain *d, uint32_t srvid,
		    struct ow_waitset **ret);
struct ow_waitset *ow_waitset_close(struct ow_waitset *w);
/* `tag` comes back from ow_waitset_wait(): the row of the service, below 256.
 * Domain lock held. */
int ow_waitset_add_queue(struct ow_waitset *w, struct ow_queue *q,
			 uint32_t tag);
int ow_waitset_del_queue(struct ow_waitset *w, struct ow_queue *q);
/* `events` as epoll has them, 0: EPOLLIN. */
int ow_waitset_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		      uint32_t tag, enum ow_waitset_fd how);
int ow_waitset_del_fd(struct ow_waitset *w, int fd);
/* OW_WAITSET_TICK comes so often (ns; 0: no more). */
int ow_waitset_tick(struct ow_waitset *w, uint64_t period_ns);
/* OW_WAITSET_KICK comes at once. For signal handlers and other threads. */
void ow_waitset_kick(struct ow_waitset *w);
/* One ready member: 0 with its tag and, of a descriptor, its events (may be
 * NULL). `wait` false: TIMEOUT when none is. SIGNAL. */
int ow_waitset_wait(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events);

/* Something was written to a descriptor of server `srvid` that is RUNG. */
void ow_srv_ring(struct ow_domain *d, uint32_t srvid);

#pragma GCC visibility pop
#endif
