/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.h - a server of the wait set that stands by, or gives way
 *
 * bell.h describes the protocol, libatmi/waking/standby.h when a server does
 * that. This is what a wait set has to do with it.
 *
 * A server stands by for one queue at a time, and meanwhile takes what comes for
 * others. If that lasts, its word is late, and another server is woken.
 */
#ifndef OW_POSIX_STANDBY_H
#define OW_POSIX_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/standby.h"

struct posix_standby {
	struct ow_standby measured;
	struct posix_queue *by; /* for which this server stands by, or NULL */
	uint32_t by_tag;
	uint64_t due_ns;	 /* until then */
	struct posix_queue *run; /* that it was woken for last, or NULL */
	uint32_t run_tag;
	struct posix_queue *left; /* whose run was cut short before, for
				     another queue's message, or NULL */
	uint32_t left_tag;
};

/* The server was woken for a queue with this tag. False: it stands by. */
bool ow_posix_woken(struct posix_standby *s, struct posix_queue *q,
		    uint32_t tag);
/* A wait begins. True: its last run was cut short while one stands by: nobody
 * else may come for the rest. If nothing else is there it receives again
 * (run_tag). */
bool ow_posix_goes_on(struct posix_standby *s);
/* How long epoll_wait() may last, ms; -1: without end. *ret_due: its end. */
int ow_posix_standby_left(const struct posix_standby *s, uint64_t *ret_due);
/* It has ended so. True: the server receives (run_tag). */
bool ow_posix_standby_over(struct posix_standby *s, uint64_t due_ns);
/* The queue leaves the wait set. */
void ow_posix_standby_drop(struct posix_standby *s, struct posix_queue *q);

#endif
