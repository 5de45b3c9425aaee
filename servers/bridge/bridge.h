/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.h - the layers of a bridge, the lowest first
 *
 * wire		frames, names, the connection to NATS and its renewal
 * peers	the other bridges: their links, what waits to be sent, the clock
 * directory	what this node offers and wants, and what others do
 * out		requests of this node, which others serve
 * in		requests of others, which this node serves
 * conversation	the ends of conversations
 * transaction	requests in transactions
 * waits	what requests of other nodes wait for, told to these
 *
 * A layer calls those before it; what it has to tell those behind it goes through
 * a table of functions, which layers.c fills. tests/arch/layers.py looks.
 *
 * Threads of the process:
 *   main	 the loop of a server; out/remote.c sends requests,
 *		 directory/offers.c advertises what others offer
 *   delivery	 of libnats: peers/link.c takes messages, out/calls.c answers
 *		 callers
 *   inbound	 the caller of requests from other nodes (in/inbound.c)
 *   ushers	 stand in the lines of full queues (in/usher.c)
 *   conversations the ends of them (conversation/thread.c)
 *   tran	 some, which ask tmsrv for requests in transactions
 *		 (transaction/transaction.c)
 *   waits	 looks at the domain while another node wants to know
 *		 (waits/waits.c)
 *   clock	 heartbeats, silence, time-outs (peers/clock.c)
 *   renewal	 certificates that have changed (wire/renewal.c, handover.c)
 *
 * Locks, in the order in which a thread takes them:
 *   1 `hearing` of wire/handover.c: one sequence of what the connections bring
 *   2 that of the peers: their links, what waits for them, what they offer, and
 *     the calls that they serve, which are lost with the link
 *   3 that of `in`, of `conversation`, of `transaction`: what waits for their
 *     threads; that of `waits`, of what is shown; that of libatmisrv for requests that are handed on. Whoever has
 *     one of them takes no other.
 *   `sending` of wire/handover.c is taken by whoever sends, with none of 2, 3.
 * None is held while something is sent to another node or answered, but for
 * `hearing`; with 3 a thread of this process is woken, which does not wait.
 *
 * doc/design/cluster.md has the protocol and what each crash means.
 */
#ifndef OW_BRIDGE_H
#define OW_BRIDGE_H

#include "servers/bridge/directory/directory.h"
#include "servers/bridge/in/inbound.h"
#include "servers/bridge/out/calls.h"
#include "servers/bridge/peers/peers.h"

struct ow_br_convs;
struct ow_br_tran;
struct ow_br_waits;
struct ow_nodes_snapshot;

struct ow_bridge {
	struct ow_br_peers peers;
	struct ow_br_directory dir;
	struct ow_br_calls calls;
	struct ow_br_inbound *in;
	struct ow_br_convs *convs;
	struct ow_br_tran *tran; /* NULL: a test without */
	struct ow_br_waits *waits; /* NULL: none */
	struct ow_nodes_snapshot *nodes; /* for listings; NULL: none */
	/* layers.c */
	struct ow_br_above above;
	struct ow_br_inbound_above in_above;
};

/* Let the layers know each other. The rest of *b is what it was. */
void ow_br_layers_join(struct ow_bridge *b);
/* Write what listings show. */
void ow_br_report(struct ow_bridge *b);

#endif
