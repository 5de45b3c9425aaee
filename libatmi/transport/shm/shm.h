/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm.h - declarations shared by the files of the shm transport
 *
 * A request is a block (block.h): header, then payload. Its reference goes
 * through the queue of a service (shmq.h); replies go through mailboxes, as on
 * all transports (mail/mail.h). A
 * server sleeps on its wake word (waitset.c). queue.c has the queue objects,
 * orphans.c reclaims blocks of dead processes, transport.c is the table.
 */
#ifndef OW_SHM_H
#define OW_SHM_H

#include "libatmi/transport/shm/line.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/transport/transport.h"

struct shm_standby;

struct shm_queue {
	struct ow_queue base;
	struct ow_domain *dom;
	struct ow_shmq *shmq;
	uint32_t rank;		  /* of the server */
	bool woken;		  /* for this queue, and has not polled it */
	struct ow_place place;	  /* of a sender that waits for room */
	uint64_t taken_at_poll;	  /* ow_shmq_taken() at the last poll */
	uint32_t *rounds;	  /* of its wait set; NULL: in none */
	struct shm_standby *standby; /* the same */
	struct ow_svc *svc; /* whose servers may stand by; NULL: none does */
};

static inline struct shm_queue *shm_of(struct ow_queue *q)
{
	return (struct shm_queue *)q;
}

/* ---- queue.c ---- */

void ow_shm_read_shapes(struct ow_domain *d);
int ow_shm_create(struct ow_domain *d, struct ow_queue_id id,
		  struct ow_queue_shape *shape, struct ow_queue **ret);
int ow_shm_open(struct ow_domain *d, struct ow_queue_id id,
		struct ow_queue **ret);
void ow_shm_close(struct ow_queue *q);
int ow_shm_remove(struct ow_domain *d, struct ow_queue_id id);
int ow_shm_peek(struct ow_domain *d, struct ow_queue_id id,
		uint32_t *ret_depth);
int ow_shm_depth(struct ow_queue *q, uint32_t *ret_depth);
uint32_t ow_shm_waiting(struct ow_domain *d, const char *service,
			uint64_t *ret_cells, uint32_t max);
void ow_shm_nudge(struct ow_queue *q);
void ow_shm_nudge_of_many(struct ow_queue *q);
enum ow_queue_attendance ow_shm_attendance(struct ow_queue *q);
void ow_shm_served(struct ow_queue *q, uint64_t since_ns, uint64_t took_ns);
/* This server was woken for the queue. */
void ow_shm_note_wake(struct shm_queue *q);
/* If so: it has polled the queue, or will not do so now. The next sender may
 * wake a server. */
void ow_shm_finish_wake(struct shm_queue *q);

/* ---- send.c, receive.c ---- */

int ow_shm_send(struct ow_queue *q, struct ow_envelope *e, unsigned int prio,
		uint64_t deadline);
int ow_shm_recv(struct ow_queue *q, struct ow_envelope *e, uint64_t deadline);
int ow_shm_wait_either(struct ow_queue *full, struct ow_queue *in,
		       uint64_t deadline);
void ow_shm_give_up(struct ow_queue *q);

/* ---- waitset.c ---- */

int ow_shm_waitset_open(struct ow_domain *d, uint32_t srvid,
			struct ow_waitset **ret);
void ow_shm_waitset_close(struct ow_waitset *w);
int ow_shm_add_queue(struct ow_waitset *w, struct ow_queue *q, uint32_t tag);
int ow_shm_del_queue(struct ow_waitset *w, struct ow_queue *q);
int ow_shm_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		  uint32_t tag, enum ow_waitset_fd how);
int ow_shm_del_fd(struct ow_waitset *w, int fd, enum ow_waitset_fd how);
int ow_shm_tick(struct ow_waitset *w, uint64_t period_ns);
void ow_shm_kick(struct ow_waitset *w);
int ow_shm_wait(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		uint32_t *ret_events);
void ow_shm_alert(struct ow_domain *d, uint32_t srvid);

/* ---- orphans.c ---- */

void ow_shm_withdraw(struct ow_domain *d, const char *service,
		     uint32_t srvid);
int ow_shm_reclaim(struct ow_domain *d, ow_refuse_fn *settle);
int ow_shm_reclaim_of(struct ow_domain *d, uint32_t prc,
		      ow_refuse_fn *settle);
int ow_shm_postpone(struct ow_domain *d, struct ow_envelope *e);

extern const struct ow_transport ow_transport_shm;

#endif
