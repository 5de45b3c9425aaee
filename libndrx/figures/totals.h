/* SPDX-License-Identifier: Apache-2.0 */
/*
 * totals.h - totals of the counters in the tables, which never fall
 *
 * The counters of a service are in the rows of its servers, and a row starts
 * at zero with each server process. The plain sum would fall when one server
 * of many restarts, and a program that computes rates would take that for a
 * restart of all. So each look adds the growth of every row. Calls counted
 * between the last look and the end of a process are lost. Client contexts,
 * which come and go, are treated the same. A new domain starts at zero.
 */
#ifndef OW_TOTALS_H
#define OW_TOTALS_H

#include <stdint.h>

#include "libndrx/observe/counts.h"
#include "libndrx/observe/observer.h"

/* Of one service, over all its servers of all times. */
struct ow_total {
	struct ow_counts counts;
	uint32_t busy;	   /* servers that are serving it now */
	uint64_t front_ns; /* no request in the queue was sent before */
};

struct ow_totals;

/* Totals that are zero. NULL: no memory. */
struct ow_totals *ow_totals_open(void);
struct ow_totals *ow_totals_close(struct ow_totals *t);

/* Add the growth of all rows. 0, or -ENOMEM: some rows are missing. */
int ow_totals_look(struct ow_totals *t, const struct ow_observer *v);

/* The total of row `svc` of the service table. Never NULL. */
const struct ow_total *ow_totals_service(const struct ow_totals *t,
					 uint32_t svc);

/* Over all client contexts, past and present. */
struct ow_totals_clients {
	uint64_t calls, timeouts, late;
	uint64_t outstanding, contexts; /* now */
};
const struct ow_totals_clients *ow_totals_clients(const struct ow_totals *t);

#endif
