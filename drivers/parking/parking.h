/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parking.h - branches of this process that only their connection can end, and
 * the thread that takes orders for them
 *
 * A service's thread leaves its connection here, with the branch, and goes on
 * with another one; connections whose branch has ended are used again. An order
 * is answered with a result of XA (ask.h).
 *
 * A child of fork() has none of them: it closes what it has inherited, and
 * nothing more, so that a connection ends with the process that parked it, and
 * the database learns that.
 */
#ifndef OW_PARKING_H
#define OW_PARKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xa.h>

struct parking;

/* What differs between databases. A library has one of them. */
struct parking_driver {
	const char *name; /* a short word, of addresses */
	/* In the thread: an order has come, with a NUL behind its `len` bytes.
	 * If the branch has ended `p` is let go before it returns: then its
	 * address is free before the answer is sent, and who asks again asks
	 * the database. The result. */
	int (*obey)(struct parking *p, const char *order, size_t len);
	/* In the thread: p->until_ns has passed. `p` is let go. */
	void (*late)(struct parking *p);
	int (*descriptor)(void *db);
	bool (*is_usable)(void *db); /* for another branch */
	void (*close)(void *db);
};

struct parking {
	struct parking *next;
	const struct parking_driver *driver;
	void *db;
	int fd;		   /* listens */
	uint64_t until_ns; /* CLOCK_MONOTONIC */
};

/* Listen at the address of `x`: 0 or -errno. */
int parking_listen(struct parking *p, const struct parking_driver *driver,
		   const XID *x);
/* Take `db` and orders: 0; -errno, then nothing is taken. */
int parking_begin(struct parking *p, void *db, uint64_t until_ns);
/* Its address is free, no order comes any more. Also after parking_listen()
 * alone. Then the caller has `db`. */
void parking_end(struct parking *p);

/* A connection whose branch has ended: kept for another one, or closed. */
void parking_give_spare(const struct parking_driver *driver, void *db);
/* One of them; NULL: there is none. */
void *parking_take_spare(void);

#endif
