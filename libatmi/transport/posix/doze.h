/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doze.h - a server that has just served sleeps where a sender finds it
 *
 * A byte in the FIFO of a queue (fifo.h) passes all servers that work before it
 * finds one that sleeps: with 150 of 250 servers at work it took 22 us of CPU
 * time, as much as the rest of the call. So a server whose run has ended does
 * not go to epoll at once: it dozes. It writes itself into a place of each of
 * its services, and sleeps on its own word, a futex, for doze_ns
 * (waking/constants.h). Who would write a byte (bell.h) takes a dozing server
 * out of its place instead, and wakes that one. If nobody has come the server
 * goes to epoll, and for some of its next waits at once: where doze_ns is not
 * enough dozes cost a wake-up each.
 *
 * A place holds the server's id and the time of twice its doze, as an
 * announcement does (announce.h); 0: free. Where none is free one that is void
 * is taken, of a dead server, or of one that has waited for its CPU as long as
 * it dozed: that one takes itself for woken, as by a byte too many. The word of the server, `wake_word` in its slot: ASLEEP,
 * or AWAKE.
 *
 * Server: store ASLEEP, take the places, look whether epoll has anything,
 * sleep; then leave the places. Where another process has done that, the server
 * was woken for that service. It does what it does after a byte. If it was woken
 * for several services, others are woken for all but one.
 *
 * Sender: change a place to 0, change the word to AWAKE, wake. If no place is
 * taken: write a byte, and look once more. Server: take the place, look for a
 * byte. So one of the two finds the other's; if both do, a byte is too many.
 *
 * A dozing server does not look at its descriptors: who writes to one of them
 * wakes it (ow_posix_alert(), ow_posix_kick()); a tick may come doze_ns late. A
 * server with descriptors that the program polls does not doze, nor one that
 * has a service of few servers (doze_servers): a byte passes few there.
 *
 * What a death leaves, or a stop.
 *	a sender, before it has changed the place: as before its byte (bell.h)
 *	a sender, between the place and the wake-up: the server wakes when its
 *		doze ends, finds its place gone, and serves
 *	a server in its doze, or before: its place, for 2 doze_ns. A sender that
 *		takes it has woken nobody: as a server that dies between its
 *		byte and the word
 *	a server that was taken out: the same
 */
#ifndef OW_DOZE_H
#define OW_DOZE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/tables.h"
#include "libatmi/transport/posix/posix.h"

/* Servers of a service that doze at once: a cache line in the tables. */
#define OW_DOZERS 8

_Static_assert(sizeof(((struct ow_svc *)0)->dozing) ==
		       OW_DOZERS * sizeof(uint64_t),
	       "a place for each");

/* Values of `wake_word`. */
#define OW_DOZE_AWAKE  0u
#define OW_DOZE_ASLEEP 1u

/* ---- called by a sender ---- */

/* Wake a server of the service that dozes. False: none does. */
bool ow_doze_take(struct posix_queue *q);
/* Wake server `s`, if it dozes: it is to look at its descriptors. */
void ow_doze_rouse(struct ow_srv *s);

/* ---- called by the server ---- */

/* How often a server dozes: it learns that by what came of it. */
struct ow_dozer {
	uint32_t pause; /* waits without a doze after the last one in vain */
	uint32_t left;	/* of these */
};

/* Is this wait to begin with a doze? */
bool ow_doze_pays(struct ow_dozer *z);
void ow_doze_learn(struct ow_dozer *z, bool was_woken);

/* Take a place of the service. False: none is free. */
bool ow_doze_enter(struct ow_svc *s, uint64_t word, uint64_t now_ns);
/* Leave it. False: a sender has taken this server out. */
bool ow_doze_leave(struct ow_svc *s, uint64_t word);
/* Sleep, until `until_ns`: 0, -ETIMEDOUT, -EINTR. */
int ow_doze_sleep(struct ow_srv *s, uint64_t until_ns);

#endif
