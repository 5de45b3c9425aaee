/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reservation.h - a number that came with the end of the transaction before
 *
 * The answer to commit or rollback brings the number of the next transaction, and
 * its branch, so that tpbegin() asks nobody. A context wants one if it has begun
 * the transaction that ends soon after the one before. tpbegin() takes it within
 * OW_TM_RESERVE_NS, with the same time-out and resource manager, while the tmsrv
 * that gave it lives: otherwise it asks, as the first time.
 */
#ifndef OW_TRAN_RESERVATION_H
#define OW_TRAN_RESERVATION_H

#include <stdbool.h>
#include <stdint.h>

struct ow_ctx;
struct ow_tm;

/* Of a context. */
struct ow_reservation {
	uint64_t tran; /* 0: it has none */
	uint64_t identity, asked_ns;
	uint64_t wanted_ms, timeout_ms; /* time-out: asked for, granted */
	uint32_t rmid, branch;
	bool with_branch;
	/* its tmsrv, as it was when it was asked */
	int32_t pid;
	uint64_t start;
	/* how the context begins transactions */
	bool wants;	    /* soon after the one before, which ended at: */
	uint64_t ended_ns;
	uint64_t last_ms;   /* the time-out of the last */
	uint32_t in_a_row;  /* begun without a question */
};

/* The end of the transaction of `c` is about to be asked for by *m, which asks
 * for a reservation, too, if the context wants one. */
void ow_reservation_ask(const struct ow_ctx *c, struct ow_reservation *r,
			struct ow_tm *m);
/* The answer; NULL: none came. */
void ow_reservation_keep(struct ow_reservation *r, const struct ow_tm *m);
/* A transaction begins now by the question *m: true, it need not be asked, and *m
 * is what would have been answered. `usual`: resource manager where a client
 * without one had better begin; 0: any. */
bool ow_reservation_take(const struct ow_ctx *c, struct ow_reservation *r,
			 uint64_t now, uint32_t usual, struct ow_tm *m);
/* The context ends: its tmsrv is told that the number is not wanted. */
void ow_reservation_return(struct ow_reservation *r);

#endif
