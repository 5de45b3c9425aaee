/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.h - the layout of a service queue's segment
 *
 * Private to map.c (creates, maps and removes it), exchange.c (messages) and
 * wake.c (servers); shmq.h describes the protocol. Each word that different
 * processes write often has a cache line of its own.
 */
#ifndef OW_SHMQ_SEG_H
#define OW_SHMQ_SEG_H

#include <stdatomic.h>
#include <stdint.h>

#include "libatmi/transport/block/ring.h"
#include "libatmi/transport/shm/shmq.h"

#define OW_SHMQ_MAGIC  UINT64_C(0x3455455551574f00) /* "\0OWQUEU4" */
#define OW_SHMQ_PRIOS  101u			     /* 0..100 */
#define OW_SHMQ_RANKS  65472u /* servers of one queue: 1,023 words of bits */
#define OW_SHMQ_STANDBY (OW_SHMQ_RANKS + 1)

struct shmq_mark {
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) _Atomic uint64_t head;
};

struct shmq_head {
	uint64_t magic, size;
	uint32_t limit, ring; /* messages; cells of a ring */
	uint32_t even;	      /* choice of the server to wake: 1 even, 0 hot */
	/* bit per ring: may hold messages; has memory */
	_Alignas(64) _Atomic uint64_t avail[2];
	_Atomic uint64_t ready[2];
	_Alignas(64) _Atomic uint64_t sent;
	_Atomic uint64_t limit_at;
	/* 0: none; (1 + rank) << 48 | time / 1024 ns; rank OW_SHMQ_RANKS: the
	 * server is being chosen; OW_SHMQ_STANDBY: a server stands by */
	_Alignas(64) _Atomic uint64_t pending_wake;
	_Atomic uint64_t emptied; /* the pending wake-up, when a server found
				     the queue empty */
	_Alignas(64) _Atomic uint32_t want_room; /* a sender waits for room */
	_Atomic uint32_t room;			 /* futex: counts wake-ups */
	_Atomic uint32_t last, gone; /* of senders that wait (line.h) */
	_Atomic uint32_t passed, passed_to; /* ghosts among them */
	_Alignas(64) _Atomic uint32_t last_idle; /* 1 + rank */
	_Atomic uint32_t cursor;		 /* even: rank woken last */
	_Atomic uint32_t ranks;			 /* 1 + highest in use */
	_Alignas(64) _Atomic uint64_t idle[1024]; /* hint: bit per rank */
	struct shmq_mark mark[OW_SHMQ_PRIOS];
	/* 1 << 31 | srvid << 8 | row; 0: rank is free */
	_Alignas(4096) _Atomic uint32_t member[OW_SHMQ_RANKS];
};

/* A mapping, shared by all contexts of this process. */
struct ow_shmq {
	struct shmq_head *head;
	_Atomic uint64_t *cells; /* [PRIOS][ring] */
	struct ow_domain *dom;
	int fd;
	unsigned int users;
	uint64_t inode;
	char svc[32];
	struct ow_shmq *next;
	uint32_t limit, ring; /* copies that no other process can change */
};

static inline struct ow_ring shmq_ring(const struct ow_shmq *q,
				       unsigned int prio)
{
	return (struct ow_ring){ .head = &q->head->mark[prio].head,
				 .tail = &q->head->mark[prio].tail,
				 .cells = q->cells +
					  (uint64_t)prio * q->ring,
				 .size = q->ring };
}

#endif
