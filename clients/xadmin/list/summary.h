/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h - count servers, services, contexts of a domain
 */
#ifndef OW_SUMMARY_H
#define OW_SUMMARY_H

#include <stdint.h>

#include "libatmi/domain/tables.h"

struct ow_observer;

struct ow_summary {
	uint32_t servers[OW_SRV_STOPPING + 1]; /* by state */
	uint32_t living, dead;
	uint32_t missing; /* are to run, and have no process */
	uint32_t threads; /* further dispatch threads, in any state */
	uint32_t services, offers; /* offer: a service of a server */
	uint32_t clients; /* contexts that call */
	uint64_t calls_ok, calls_failed, requests;
};

/* Count what the tables hold now. */
void ow_summary_count(const struct ow_observer *v, struct ow_summary *ret);

#endif
