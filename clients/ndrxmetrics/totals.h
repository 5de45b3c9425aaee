/* SPDX-License-Identifier: Apache-2.0 */
/*
 * totals.h - counters of the tables, added up so that they only grow
 *
 * The figures of a service lie in the rows of its servers, and a row begins at
 * zero with each server process. Their plain sum would fall when one server of
 * many restarts, and whoever computes rates would take that for a restart of
 * everything. So differences are added up here, row by row, at every look;
 * what a process counted between the last look and its end is not seen. The
 * same for client contexts, which come and go. A domain that was made anew
 * begins at zero again.
 */
#ifndef OW_TOTALS_H
#define OW_TOTALS_H

#include <stdint.h>

#include "clients/common/counts.h"
#include "clients/common/domain_view.h"

/* Of one service, over all its servers of all times. */
struct ow_total {
	struct ow_counts counts;
	uint32_t busy;	   /* now: servers at work on it */
	uint64_t front_ns; /* nothing in the queue was sent before that */
};

struct ow_totals;

/* Nothing is counted yet. NULL: no memory. */
struct ow_totals *ow_totals_open(void);
struct ow_totals *ow_totals_close(struct ow_totals *t);

/* Look at all rows and add up. 0 or -ENOMEM: some were left out. */
int ow_totals_look(struct ow_totals *t, const struct ow_view *v);

/* Of service number `svc` of the table (not of the list); never NULL. */
const struct ow_total *ow_totals_service(const struct ow_totals *t,
					 uint32_t svc);

/* Of all client contexts of all times. */
struct ow_totals_clients {
	uint64_t calls, timeouts, late;
	uint64_t outstanding, contexts; /* now */
};
const struct ow_totals_clients *ow_totals_clients(const struct ow_totals *t);

#endif
