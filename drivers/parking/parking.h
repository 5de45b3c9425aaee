/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parking.h - branches of this process that only their connection can end, and
 * the threads that take orders for them
 *
 * A service's thread leaves its connection here, with the branch, and goes on
 * with another one; connections whose branch has ended are used again. An order
 * is answered with a result of XA (ask.h).
 *
 * A child of fork() has none of them, nor the connections with which threads
 * work: it closes what it has inherited, and nothing more, so that a connection
 * ends with the process that opened it, and the database learns that.
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
	const char *name;   /* a short word, of addresses */
	int answer_seconds; /* that obey() waits for the database */
	/* In one of the threads, each of which has another branch: an order has
	 * come, with a NUL behind its `len` bytes. If the branch has ended `p`
	 * is let go before it returns: then its address is free before the
	 * answer is sent, and who asks again asks the database. The result. */
	int (*obey)(struct parking *p, const char *order, size_t len);
	/* The same: p->until_ns has passed. `p` is let go. */
	void (*late)(struct parking *p);
	bool (*is_usable)(void *db); /* for another branch */
	void (*close)(void *db);
};

struct parking {
	struct parking *next;
	const struct parking_driver *driver;
	void *db;
	int fd;		   /* listens */
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	uint64_t id;	   /* of this process */
	bool busy;	   /* a thread has it in hand */
};

/* Listen at the address of `x`: 0 or -errno. */
int parking_listen(struct parking *p, const struct parking_driver *driver,
		   const XID *x);
/* Take `db` and orders: 0; -errno, then nothing is taken. */
int parking_begin(struct parking *p, void *db, uint64_t until_ns);
/* Its address is free, no order comes any more. Also after parking_listen()
 * alone. Then the caller has `db`. */
void parking_end(struct parking *p);

/* `db` is a connection of this process, until it is dropped, just before it is
 * closed. `descriptor`: its socket, -1: none any more. In a child of fork() that
 * is closed, and `forget` called: it makes the thread forget what it has. */
void parking_hold(void *db, int (*descriptor)(void *db),
		  void (*forget)(void));
void parking_drop(void *db);

/* How long a thread waits for an answer that a library reads: its own. */
struct parking_limit {
	struct parking_limit *next;
	uint64_t until_ns;
	int fd; /* the same socket; -1: none */
	bool over;
};

/* From now on the socket `fd` is cut after `seconds`, or half a second later, by one
 * of the threads: then who reads has an error. Without a descriptor or a thread it
 * is not. `l` stays where it is until the end. */
void parking_limit_begin(struct parking_limit *l, int fd, int seconds);
/* True: it was cut. */
bool parking_limit_end(struct parking_limit *l);

/* A connection whose branch has ended: kept for another one, or closed. */
void parking_give_spare(const struct parking_driver *driver, void *db);
/* One of them; NULL: there is none. */
void *parking_take_spare(void);

#endif
