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
	uint32_t wait;	 /* of the busy ones: wait for a reply */
	bool stuck;	 /* in the set */
	bool stopped;	 /* by a signal */
	bool bridge;	 /* to other nodes */
};

/* A service that a server offers. */
struct ow_calls_offer {
	uint32_t svc;
	uint32_t server; /* index */
};

/* A thread that serves. */
struct ow_calls_seat {
	uint32_t tid;
	uint32_t slot;
};

/*
 * A context that waits. What it waits for holds up a request only if
 * the thread that serves this request is the one that waits.
 */
struct ow_calls_waiter {
	size_t server;	 /* index; OW_CALLS_NONE: a client's */
	uint32_t seat;	 /* slot of the thread, which is busy; 0: another one */
	uint32_t slot, gen;
	uint64_t seq; /* of the call; 0: it waits for a message */
	size_t row; /* the request whose reply it waits for; OW_CALLS_NONE: not
		       seen */
	bool any;   /* ... or for another one */
	bool stuck; /* in the set */
	bool matters; /* for the set: a server's, or a server converses with
			 it */
	/* For a message of a conversation: from this context; gen 0: it does
	 * not. */
	uint32_t peer_slot, peer_gen;
	uint64_t since_ns;  /* it has done nothing else since */
	uint64_t looked_ns; /* nothing had come until then, at least */
};

struct ow_calls_chains {
	const struct ow_calls *c;
	struct ow_calls_server *servers; /* by id */
	struct ow_calls_offer *offers; /* by service */
	struct ow_calls_seat *seats; /* by tid */
	struct ow_calls_waiter *waiters; /* by slot */
	size_t *held; /* those of servers: clients may be many */
	size_t n_servers, n_offers, n_seats, n_waiters, n_held;
	struct ow_calls_nodes nodes; /* empty: of this domain alone */
};

/* Index of a server; OW_CALLS_NONE: it is not there. */
size_t ow_calls_find_server(const struct ow_calls_chains *w, uint32_t srvid);
/* Index of what this context waits for; OW_CALLS_NONE: it does not. */
size_t ow_calls_find_waiter(const struct ow_calls_chains *w, uint32_t slot,
			    uint32_t gen);
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
/* Who waits in tpconnect() goes on as soon as a server takes its request. */
static inline bool ow_calls_is_accepted(const struct ow_calls_row *row)
{
	return row->conversation && row->state != OW_CALLS_WAITS;
}
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
