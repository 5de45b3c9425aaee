/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - check that an idle domain is in perfect order
 *
 * All servers alive and idle, no request in hand or queued, no block in use,
 * no client slot taken. Reads the shared tables only.
 */
#ifndef OW_BENCH_ORDER_H
#define OW_BENCH_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct ow_domain;

/* With `servers` servers of BALANCE; a fault goes to `why`. */
bool ow_order_check(struct ow_domain *d, size_t servers, char *why,
		    size_t size);

#endif
