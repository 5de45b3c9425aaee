/* SPDX-License-Identifier: Apache-2.0 */
/*
 * posix.h - declarations shared by the files of the posix transport
 *
 * The kernel owns the requests, so a killed process cannot damage a queue.
 * Replies go through mailboxes, as on all transports (mail/mail.h).
 * queue.c has the queues, shape.c their sizes under the limits, limits.c what
 * the limits leave, exchange.c sends and receives, fifo.c has the FIFO that
 * wakes servers, bell.c decides whether one is woken, doze.c has those that a
 * sender wakes without the FIFO, standby.c whether it takes a request, run.c
 * whether a server receives requests one after the other, waitset.c has what a
 * server waits for, idle.c how it waits before the kernel has it in its list,
 * orphans.c reclaims blocks of dead processes, transport.c is the table.
 */
#ifndef OW_POSIX_H
#define OW_POSIX_H

#include <mqueue.h>

#include "libatmi/transport/transport.h"

/* What the kernel adds to each message when it counts bytes. */
#define MQ_OVERHEAD 96u

/* Requests that a server receives one after the other (run.h). */
struct ow_run {
	uint32_t length; /* requests of this run; 0: there is none */
	bool ended;	 /* the last attempt found nothing */
	uint64_t since_ns; /* when its first request was served */
	bool held; /* this server gives way to others (standby.h) */
};

struct ow_standby;
struct ow_tables;

struct posix_queue {
	struct ow_queue base;
	mqd_t mq;
	int fifo; /* fifo.h; -1: none */
	struct ow_svc *svc; /* whose servers may look, else NULL */
	struct ow_tables *tables; /* the domain's */
	const struct ow_waking *waking; /* the domain's */
	bool looks_on; /* the server, after the next message: bell.h */
	struct ow_run run;
	struct ow_standby *standby; /* of the wait set; NULL: in none */
};

static inline struct posix_queue *posix_of(struct ow_queue *q)
{
	return (struct posix_queue *)q;
}

/* ---- queue.c ---- */

int ow_posix_create(struct ow_domain *d, struct ow_queue_id id,
		    struct ow_queue_shape *shape, struct ow_queue **ret);
int ow_posix_open(struct ow_domain *d, struct ow_queue_id id,
		  struct ow_queue **ret);
void ow_posix_close(struct ow_queue *q);
int ow_posix_remove(struct ow_domain *d, struct ow_queue_id id);
int ow_posix_remove_named(struct ow_domain *d, const char *name);
int ow_posix_remove_strays(struct ow_domain *d);
int ow_posix_peek(struct ow_domain *d, struct ow_queue_id id,
		  uint32_t *ret_depth);
int ow_posix_depth(struct ow_queue *q, uint32_t *ret_depth);

/* ---- exchange.c ---- */

/* The address of a block (block.h) is the service into whose queue its request
 * goes. */
#define OW_POSIX_TO_SERVICE (UINT64_C(1) << 60)

int ow_posix_send(struct ow_queue *q, struct ow_envelope *e, unsigned int prio,
		  uint64_t deadline);
int ow_posix_recv(struct ow_queue *q, struct ow_envelope *e,
		  uint64_t deadline);
int ow_posix_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline);
void ow_posix_nudge(struct ow_queue *q);
void ow_posix_nudge_of_many(struct ow_queue *q);

/* ---- run.c ---- */

bool ow_posix_runs(struct ow_queue *q);
void ow_posix_served(struct ow_queue *q, uint64_t since_ns, uint64_t took_ns);

/* ---- shape.c ---- */

void ow_posix_read_shapes(struct ow_domain *d);
/*
 * Create or join the queue `name` ("/<prefix>,...") with the largest shape
 * that limits allow, at most *shape. *ret_made: it was created. LIMIT,
 * -errno.
 */
int ow_posix_open_fitting(const struct ow_domain *d, const char *name,
			  struct ow_queue_shape shape, mqd_t *ret,
			  bool *ret_made);
/* Account for the bytes of a queue that was created (add) or removed. */
void ow_posix_account(struct ow_domain *d, const struct mq_attr *a, bool add);

/* The number in /proc/sys/fs/mqueue/<name>, or `dflt`. */
uint32_t ow_posix_limit(const char *name, uint32_t dflt);

/* ---- limits.c ---- */

void ow_posix_usage(const struct ow_domain *d,
		    struct ow_transport_usage *ret);
int ow_posix_fits(struct ow_domain *d, char *why, size_t size);

/* ---- waitset.c ---- */

int ow_posix_waitset_open(struct ow_domain *d, uint32_t srvid,
			  struct ow_waitset **ret);
void ow_posix_waitset_close(struct ow_waitset *w);
int ow_posix_add_queue(struct ow_waitset *w, struct ow_queue *q,
		       uint32_t tag);
int ow_posix_del_queue(struct ow_waitset *w, struct ow_queue *q);
int ow_posix_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		    uint32_t tag, enum ow_waitset_fd how);
int ow_posix_del_fd(struct ow_waitset *w, int fd, enum ow_waitset_fd how);
int ow_posix_tick(struct ow_waitset *w, uint64_t period_ns);
void ow_posix_kick(struct ow_waitset *w);
void ow_posix_alert(struct ow_domain *d, uint32_t srvid);
int ow_posix_wait(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		  uint32_t *ret_events);

/* ---- orphans.c ---- */

void *ow_posix_record(struct ow_domain *d, uint32_t srvid);
struct ow_msg *ow_posix_recorded(struct ow_domain *d, uint32_t srvid);
int ow_posix_postpone(struct ow_domain *d, struct ow_envelope *e);
int ow_posix_reclaim(struct ow_domain *d, ow_refuse_fn *settle);
int ow_posix_reclaim_of(struct ow_domain *d, uint32_t prc,
			ow_refuse_fn *settle);

extern const struct ow_transport ow_transport_posix;

#endif
