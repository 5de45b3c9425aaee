/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_chain.h - the graph of requests and servers that wait for each other
 *
 * For calls_chain.c, which builds it, calls_said.c, which puts it into words,
 * and calls_reach.c, which says what of it leads to other nodes.
 */
#ifndef OW_CALLS_CHAIN_H
#define OW_CALLS_CHAIN_H

#include "libndrx/observe/calls.h"
#include "libndrx/observe/calls_nodes.h"

#define OW_CALLS_NONE SIZE_MAX

/* A server process. */
struct ow_calls_server {
	uint32_t srvid;
	uint32_t busy;	 /* threads that serve a request */
	uint32_t idle;	 /* threads that do not */
	uint32_t wait;	 /* contexts that wait for a reply */
	bool stuck;	 /* in the set */
	bool stopped;	 /* by a signal */
	bool bridge;	 /* to other nodes */
};

/* A service that a server offers. */
struct ow_calls_offer {
	uint32_t svc;
	uint32_t server; /* index */
};

/* A context of a server that waits. */
struct ow_calls_waiter {
	uint32_t server; /* index */
	uint32_t slot, gen;
	size_t row; /* the request whose reply it waits for; OW_CALLS_NONE: not
		       seen */
};

struct ow_calls_chains {
	const struct ow_calls *c;
	struct ow_calls_server *servers; /* by id */
	struct ow_calls_offer *offers; /* by service */
	struct ow_calls_waiter *waiters;
	size_t n_servers, n_offers, n_waiters;
	struct ow_calls_nodes nodes; /* empty: of this domain alone */
};

/* Index of a server; OW_CALLS_NONE: it is not there. */
size_t ow_calls_find_server(const struct ow_calls_chains *w, uint32_t srvid);
/* The service in whose queue a request waits. */
uint32_t ow_calls_queue_of(const struct ow_calls_chains *w,
			   const struct ow_calls_row *row);
/* The first offer of a service, by number; then as long as it is one. */
size_t ow_calls_first_offer(const struct ow_calls_chains *w, uint32_t svc);
static inline bool ow_calls_is_offer(const struct ow_calls_chains *w,
				     size_t at, uint32_t svc)
{
	return at < w->n_offers && w->offers[at].svc == svc;
}
/* Has a bridge it, which has sent it to another node? */
bool ow_calls_was_sent(const struct ow_calls_chains *w,
		       const struct ow_calls_row *row);
/* Can no server that is there finish it? */
bool ow_calls_is_stuck(const struct ow_calls_chains *w,
		       const struct ow_calls_row *row);
/* `state` and `out` of *ret: calls_reach.c. */
void ow_calls_reach(const struct ow_calls_chains *w,
		    const struct ow_calls_row *row, struct ow_waits_call *ret);
/* Does each busy thread of it wait for a reply? */
static inline bool ow_calls_server_waits(const struct ow_calls_server *s)
{
	return s->busy > 0 && s->idle == 0 && s->wait >= s->busy;
}

#endif
