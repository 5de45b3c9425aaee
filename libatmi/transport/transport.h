/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - the contract of a transport: one table of operations
 *
 * A transport carries requests and replies between the processes of a domain
 * and wakes one server for each request. Each folder transport/<name>/ is one
 * transport and defines its table, ow_transport_<name>; the build finds the
 * folder (registry.c). Nothing outside of libatmi/transport names a
 * transport: it calls the functions at the end of this header, which go
 * through the table of the domain or of the queue.
 *
 * Common rules
 *   Result	   0; a positive enum ow_queue_result; a negative errno.
 *   Deadline	   base/deadline.h. A wait that a signal handler interrupts
 *		   returns SIGNAL; the caller decides on a retry.
 *   Threads	   A queue object and a wait set belong to one thread.
 *   Payload	   envelope.h: the holder of the envelope owns it. A message is
 *		   queued whole or not at all.
 *   Lock	   "The lock" is the domain lock (ow_tables_lock()). An
 *		   operation that says nothing about it takes no lock and may
 *		   run with or without it.
 *   Optional	   An operation marked so may be NULL: the default stands with
 *		   it.
 */
#ifndef OW_TRANSPORT_H
#define OW_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/deadline.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/envelope.h"
#include "libatmi/waking/poll.h"

enum ow_queue_result {
	OW_QUEUE_GONE = 1, /* no such queue: its servers or client have left */
	OW_QUEUE_FULL,	   /* send: no room, and the deadline is NOW */
	OW_QUEUE_EMPTY,	   /* receive: no message, and the deadline is NOW */
	OW_QUEUE_TIMEOUT,  /* nothing happened until the deadline */
	OW_QUEUE_SIGNAL,   /* a signal handler has run */
	OW_QUEUE_LIMIT,	   /* create: the kernel's limits are used up */
	OW_QUEUE_GARBAGE,  /* receive: a malformed message was dropped */
};

/* The queue of a service, or the mailbox of a client slot, which is the same on
 * every transport (mail/mail.h). */
struct ow_queue_id {
	const char *service; /* NULL: a mailbox */
	uint32_t slot;	     /* of the client, tables.h */
};

/*
 * Refuses a request on record: sends its caller TPESVCERR. 0 (sent, or no caller
 * waits); FULL: its mailbox is full, postpone the refusal.
 */
typedef int ow_refuse_fn(struct ow_domain *d, const struct ow_msg *request);

/* The id of the transport of domains that ask for none. */
#define OW_TRANSPORT_DEFAULT 1u

/* What the queues of a user take of the limits of the machine. */
struct ow_transport_usage {
	uint64_t bytes;	     /* of this user's queues */
	uint64_t bytes_max;  /* 0: no limit */
	uint32_t queues;     /* of all users, if `all` */
	uint32_t queues_max; /* 0: no limit */
	bool all;	  /* each queue was seen; else those in the tables */
	uint32_t domains; /* of this user, whose tables were read */
	uint32_t unread;  /* of this user, whose tables cannot be read */
};

struct ow_queue;
struct ow_waitset;

/* How a server learns that a descriptor is ready. */
enum ow_waitset_fd {
	OW_FD_WATCHED, /* the wait set watches it */
	OW_FD_ALERTED, /* the writer at its other end calls alert() */
};

/* Tags that a wait set reports beside those of its members. */
#define OW_WAITSET_TICK UINT32_C(0xfffffffe)
#define OW_WAITSET_KICK UINT32_C(0xffffffff)

struct ow_transport {
	/* ---- what it is ---- */

	const char *name;  /* value of NDRX_TRANSPORT and <transport> */
	const char *about; /* one line for people */
	uint32_t id; /* in the shared tables: never changed or used again */
	/* Its place in the order in which `auto` asks transports whether they
	 * fit; 0: auto does not take it. */
	uint32_t choice;
	/* Values of NDRX_WAKE that it knows, the default first. */
	const enum ow_wake *wakes;
	uint32_t nwakes;
	/* The wake mode is a property of each queue: processes of one domain
	 * may have different ones. false: the domain has one. */
	bool wake_per_queue;
	/* Servers allocate large typed buffers in blocks, so that a reply need
	 * not be copied. */
	bool buffers_in_blocks;

	/* ---- domain ---- */

	/* Set the shape of queues (d->service_shape) from the environment and
	 * the limits of this machine. When the domain is joined, and by tools
	 * without one. */
	void (*read_shapes)(struct ow_domain *d);
	/*
	 * Optional: is there room for the queues of d->load? Called by the
	 * process that makes the domain, before its first queue; says in the
	 * tables how large queues may be. 0; LIMIT with the reason in `why`.
	 * NULL: there is.
	 */
	int (*fits)(struct ow_domain *d, char *why, size_t size);
	/* Optional: what this user's queues, of all domains, take of the
	 * limits. For doctor; d->tables may be NULL. NULL: there are none. */
	void (*usage)(const struct ow_domain *d,
		      struct ow_transport_usage *ret);
	/* Optional: remove what the transport has made for the domain and no
	 * table names. No process of the domain is left. Returns how many. */
	int (*remove_strays)(struct ow_domain *d);
	/* Optional: remove a queue by the name that listings show; tables need
	 * not be there. NULL: queues have no names on the machine. 0, GONE. */
	int (*remove_named)(struct ow_domain *d, const char *name);

	/* Of a queue with many idle servers each polls seldom, and ndrxd
	 * nudges the queue each second (waking/poll.h). false: nudge() wakes
	 * no server in this domain, so every idle server polls each second,
	 * and when a server dies ndrxd asks one through its control socket to
	 * poll. */
	bool (*bounds_polls)(const struct ow_domain *d);

	/* ---- queues ---- */

	/*
	 * Create or join a queue. *shape is a wish; smaller shapes are tried
	 * when limits refuse it, and it says what the queue has. Servers for
	 * service queues, lock held; the client itself for its mailbox.
	 * LIMIT, -ENOSPC (no shared memory), -errno: nothing is left behind.
	 */
	int (*create)(struct ow_domain *d, struct ow_queue_id id,
		      struct ow_queue_shape *shape, struct ow_queue **ret);
	/* Open an existing queue to send to it, inspect it or drain it: GONE,
	 * -errno. */
	int (*open)(struct ow_domain *d, struct ow_queue_id id,
		    struct ow_queue **ret);
	/* Close this process's queue object; frees it. The queue stays. */
	void (*close)(struct ow_queue *q);
	/* Remove the name of a service's queue, so that no process can open
	 * it. Processes that have it open can still send and receive. Lock
	 * held. GONE. */
	int (*remove)(struct ow_domain *d, struct ow_queue_id id);
	/* Messages waiting in a queue that is not open: GONE, -errno. */
	int (*peek)(struct ow_domain *d, struct ow_queue_id id,
		    uint32_t *ret_depth);
	/* Messages waiting. */
	int (*depth)(struct ow_queue *q, uint32_t *ret_depth);
	/* Optional: the blocks in the queue of `service`, `max` at most, in the
	 * order in which servers would take them, as ow_block_cell() of their
	 * references. For onlookers: any may be taken at once. NULL: nobody can
	 * look into a queue. Returns how many. */
	uint32_t (*waiting)(struct ow_domain *d, const char *service,
			    uint64_t *ret_cells, uint32_t max);

	/*
	 * Queue the message before the deadline and wake one idle server (or
	 * the client). Blocks while the queue is full. FULL, TIMEOUT, SIGNAL,
	 * -ENOSPC, -errno: the envelope is unchanged. 0: the payload is the
	 * receiver's.
	 */
	int (*send)(struct ow_queue *q, struct ow_envelope *e,
		    unsigned int prio, uint64_t deadline);
	/*
	 * Receive the next message of the highest priority into `e`, whose
	 * room holds q->msgsize bytes. Blocks until there is one; servers do
	 * not block here but in their wait set. 0: the message is well-formed
	 * and the envelope owns its payload. EMPTY, TIMEOUT, SIGNAL, GARBAGE,
	 * -errno: the envelope is empty.
	 */
	int (*recv)(struct ow_queue *q, struct ow_envelope *e,
		    uint64_t deadline);
	/* Wait until `full`, any queue, has room or the own mailbox `in`
	 * has a message: 0 (also early), TIMEOUT, SIGNAL, -errno. */
	int (*wait_either)(struct ow_queue *full, struct ow_queue *in,
			   uint64_t deadline);
	/* Optional: a sender that has waited for room, in send() or in
	 * wait_either(), will not send: those behind it move up. NULL: the
	 * kernel knows who waits. */
	void (*give_up)(struct ow_queue *q);
	/* Messages have waited for long: wake an idle server, even if another
	 * seems to be on its way. Any process, at any time. */
	void (*nudge)(struct ow_queue *q);
	/* Optional: the same for a caller, of whom many may wait: not if a
	 * server was woken less than `pending_ns` ago. NULL: nudge(). */
	void (*nudge_of_many)(struct ow_queue *q);
	/* Optional: a server that polls has found messages: may it take them?
	 * NULL: UNATTENDED. */
	enum ow_queue_attendance (*attendance)(struct ow_queue *q);
	/* Optional: a server has served a message of the queue, from
	 * `since_ns` on, in `took_ns`: after a slow one its ticks may be
	 * due. */
	void (*served)(struct ow_queue *q, uint64_t since_ns,
		       uint64_t took_ns);
	/* Of queues with `runs` or `runs_while`: a server that was woken for
	 * the queue has tried to receive: does it try again before it
	 * waits? */
	bool (*runs)(struct ow_queue *q);
	/* Optional: have room for `replies` in the own mailbox: 0, LIMIT
	 * (no shared memory). NULL: what does not fit is postponed. */
	int (*expect)(struct ow_queue *q, uint32_t replies);

	/* ---- what a server waits on ---- */

	/* For server `srvid`, whose slot this process has taken: -errno. */
	int (*waitset_open)(struct ow_domain *d, uint32_t srvid,
			    struct ow_waitset **ret);
	void (*waitset_close)(struct ow_waitset *w);
	/* Wait for messages of `q`, reported as `tag` (the row of the service,
	 * below 256). Lock held. -EEXIST, -ENOSPC, -errno. */
	int (*add_queue)(struct ow_waitset *w, struct ow_queue *q,
			 uint32_t tag);
	/* The counterpart. Lock held. -ENOENT. */
	int (*del_queue)(struct ow_waitset *w, struct ow_queue *q);
	/* Wait for `events` (of epoll; 0: EPOLLIN) on a descriptor. */
	int (*add_fd)(struct ow_waitset *w, int fd, uint32_t events,
		      uint32_t tag, enum ow_waitset_fd how);
	/* `how` as it was added. */
	int (*del_fd)(struct ow_waitset *w, int fd, enum ow_waitset_fd how);
	/* Report OW_WAITSET_TICK so often (ns; 0: no more). */
	int (*tick)(struct ow_waitset *w, uint64_t period_ns);
	/* Report OW_WAITSET_KICK at once. From signal handlers and other
	 * threads: async-signal-safe. */
	void (*kick)(struct ow_waitset *w);
	/* One ready member: 0 with its tag and, for a descriptor, its events.
	 * Blocks if `wait`; else TIMEOUT when none is ready. SIGNAL, -errno. */
	int (*wait)(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events);
	/* Optional: something was written to an ALERTED descriptor of server
	 * `srvid`. NULL: its wait set sees that. */
	void (*alert)(struct ow_domain *d, uint32_t srvid);

	/* ---- the request in hand, and what the dead leave ---- */

	/* Optional: the memory into which server `srvid` receives, so that the
	 * request in hand is on record (OW_RX_SIZE bytes, valid while the
	 * domain is attached). NULL: any memory; the block is the record. */
	void *(*record)(struct ow_domain *d, uint32_t srvid);
	/* Optional: the request on record of dead server `srvid`, taken off
	 * the record only by the caller (magic 0). Lock held, slot not yet
	 * cleared. NULL: reclaim() finds it. Of a living server: to be looked
	 * at only, without the lock (in_hand.c). */
	struct ow_msg *(*recorded)(struct ow_domain *d, uint32_t srvid);
	/* Optional: server `srvid` is dead or withdraws its service: it is not
	 * woken for `service` any more. Lock held. */
	void (*withdraw)(struct ow_domain *d, const char *service,
			 uint32_t srvid);
	/*
	 * Free the blocks of dead processes that no queue refers to; complete
	 * what the dead had begun: `refuse` the requests they had in hand,
	 * deliver the replies they had under way. Lock not held. Returns
	 * blocks freed.
	 */
	int (*reclaim)(struct ow_domain *d, ow_refuse_fn *settle);
	/* The same at once for one process, if it is dead, by its process
	 * slot, and for postponed refusals. */
	int (*reclaim_of)(struct ow_domain *d, uint32_t prc,
			  ow_refuse_fn *settle);
	/* Optional: an empty envelope for draining a service queue: the request
	 * in it is on record, so that reclaim() refuses it if this process is
	 * killed. -errno: no memory. NULL: each received request is on record
	 * (its block is). */
	int (*drain_into)(struct ow_domain *d, struct ow_envelope *e);
	/*
	 * The mailbox of a caller is full, so the request in `e` could not be
	 * refused, or the message in `e`, which is no request, not be sent.
	 * Leave it to any later reclaim() or reclaim_of(), and set `postponed`
	 * of the caller, which calls the latter when it has room. 0: the
	 * envelope is empty; -errno: no memory, it is unchanged.
	 */
	int (*postpone)(struct ow_domain *d, struct ow_envelope *e);
};

/* What queue objects and wait sets of all transports begin with. */
struct ow_queue {
	const struct ow_transport *transport;
	size_t msgsize; /* bytes of the largest message */
	/* What spares a server a call of runs(): it is asked only if `runs` is
	 * set, or the word is not 0. NULL: no word. */
	bool runs;
	const _Atomic uint64_t *runs_while;
};

struct ow_waitset {
	const struct ow_transport *transport;
};

/* ---- registry.c ---- */

/* The transport called `name`, or with number `id`; NULL: there is none. */
const struct ow_transport *ow_transport_by_name(const char *name);
const struct ow_transport *ow_transport_by_id(uint32_t id);
/*
 * The transport that `auto` takes: of those that know the wake mode that was
 * asked for, the first that fits, else the last. `why` says what is against an
 * earlier one, or against this one if it does not fit either; else "".
 */
const struct ow_transport *ow_transport_choose(struct ow_domain *d, char *why,
					       size_t size);
/* Usage of the limits, by the transport that has such. False: none has. */
bool ow_transport_usage(const struct ow_domain *d,
			struct ow_transport_usage *ret);
/* Number `i` of all transports; NULL: no more. */
const struct ow_transport *ow_transport_at(uint32_t i);
/* Their names, or the names of the wake modes of one of them, as text:
 * "a, b or c". */
void ow_transport_names(char *buf, size_t size);
void ow_transport_wake_names(const struct ow_transport *t, char *buf,
			     size_t size);
/* Does `t` know wake mode `wake`? */
bool ow_transport_has_wake(const struct ow_transport *t, enum ow_wake wake);

/* ---- calls through the table ---- */

static inline struct ow_queue_id ow_service_queue(const char *service)
{
	return (struct ow_queue_id){ .service = service };
}

static inline struct ow_queue_id ow_mailbox(uint32_t slot)
{
	return (struct ow_queue_id){ .slot = slot };
}

static inline int ow_queue_create(struct ow_domain *d, struct ow_queue_id id,
				  struct ow_queue_shape *shape,
				  struct ow_queue **ret)
{
	return d->transport->create(d, id, shape, ret);
}

static inline int ow_queue_open(struct ow_domain *d, struct ow_queue_id id,
				struct ow_queue **ret)
{
	return d->transport->open(d, id, ret);
}

/* Accepts NULL, returns NULL. */
static inline struct ow_queue *ow_queue_close(struct ow_queue *q)
{
	if (q != NULL)
		q->transport->close(q);
	return NULL;
}

static inline void ow_queue_closep(struct ow_queue **q)
{
	*q = ow_queue_close(*q);
}

static inline int ow_queue_remove(struct ow_domain *d, struct ow_queue_id id)
{
	return d->transport->remove(d, id);
}

static inline int ow_queue_peek(struct ow_domain *d, struct ow_queue_id id,
				uint32_t *ret_depth)
{
	return d->transport->peek(d, id, ret_depth);
}

static inline int ow_queue_depth(struct ow_queue *q, uint32_t *ret_depth)
{
	return q->transport->depth(q, ret_depth);
}

static inline int ow_queue_send(struct ow_queue *q, struct ow_envelope *e,
				unsigned int prio, uint64_t deadline)
{
	return q->transport->send(q, e, prio, deadline);
}

static inline int ow_queue_recv(struct ow_queue *q, struct ow_envelope *e,
				uint64_t deadline)
{
	return q->transport->recv(q, e, deadline);
}

static inline int ow_queue_wait_either(struct ow_queue *full,
				       struct ow_queue *in, uint64_t deadline)
{
	return full->transport->wait_either(full, in, deadline);
}

static inline void ow_queue_nudge(struct ow_queue *q)
{
	q->transport->nudge(q);
}

static inline void ow_queue_nudge_of_many(struct ow_queue *q)
{
	if (q->transport->nudge_of_many != NULL)
		q->transport->nudge_of_many(q);
	else
		q->transport->nudge(q);
}

static inline void ow_queue_give_up(struct ow_queue *q)
{
	if (q->transport->give_up != NULL)
		q->transport->give_up(q);
}

static inline enum ow_queue_attendance ow_queue_attendance(struct ow_queue *q)
{
	return q->transport->attendance != NULL
		   ? q->transport->attendance(q)
		   : OW_QUEUE_UNATTENDED;
}

static inline void ow_queue_served(struct ow_queue *q, uint64_t since_ns,
				   uint64_t took_ns)
{
	if (q->transport->served != NULL)
		q->transport->served(q, since_ns, took_ns);
}

/* Is a server on its way to this queue, or should one be? */
static inline bool ow_queue_calls(const struct ow_queue *q)
{
	return q->runs_while != NULL && ow_load_relaxed(q->runs_while) != 0;
}

static inline bool ow_queue_runs(struct ow_queue *q)
{
	return (q->runs || ow_queue_calls(q)) && q->transport->runs(q);
}

static inline int ow_queue_expect(struct ow_queue *q, uint32_t replies)
{
	return q->transport->expect != NULL ? q->transport->expect(q, replies)
					    : 0;
}

static inline int ow_waitset_open(struct ow_domain *d, uint32_t srvid,
				  struct ow_waitset **ret)
{
	return d->transport->waitset_open(d, srvid, ret);
}

/* Accepts NULL, returns NULL. */
static inline struct ow_waitset *ow_waitset_close(struct ow_waitset *w)
{
	if (w != NULL)
		w->transport->waitset_close(w);
	return NULL;
}

static inline int ow_waitset_add_queue(struct ow_waitset *w,
				       struct ow_queue *q, uint32_t tag)
{
	return w->transport->add_queue(w, q, tag);
}

static inline int ow_waitset_del_queue(struct ow_waitset *w,
				       struct ow_queue *q)
{
	return w->transport->del_queue(w, q);
}

static inline int ow_waitset_add_fd(struct ow_waitset *w, int fd,
				    uint32_t events, uint32_t tag,
				    enum ow_waitset_fd how)
{
	return w->transport->add_fd(w, fd, events, tag, how);
}

static inline int ow_waitset_del_fd(struct ow_waitset *w, int fd,
				    enum ow_waitset_fd how)
{
	return w->transport->del_fd(w, fd, how);
}

static inline int ow_waitset_tick(struct ow_waitset *w, uint64_t period_ns)
{
	return w->transport->tick(w, period_ns);
}

static inline void ow_waitset_kick(struct ow_waitset *w)
{
	w->transport->kick(w);
}

static inline int ow_waitset_wait(struct ow_waitset *w, bool wait,
				  uint32_t *ret_tag, uint32_t *ret_events)
{
	return w->transport->wait(w, wait, ret_tag, ret_events);
}

static inline void ow_server_alert(struct ow_domain *d, uint32_t srvid)
{
	if (d->transport->alert != NULL)
		d->transport->alert(d, srvid);
}

#endif
