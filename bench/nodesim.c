/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodesim.c - a large cluster in one process: real bridges, no NATS
 *
 *	nodesim [-n NODES] [-s SERVICES] [-o OBSERVERS]
 *
 * Each node is a struct ow_bridge; its carrier puts messages into one queue,
 * from which they go to whom their subject names. Time does not pass: what is
 * measured is the work and the bytes. Observers hear everything, as all nodes
 * do; the others hear all but the offers of others, which saves the memory of
 * thousands of equal tables. One JSON object on standard output.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "servers/bridge/bridge.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/out/choose.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"
#include "libatmi/base/clock.h"

#define NODES_MAX 255
#define BRIDGE	  90 /* the server id of each */

struct message {
	struct message *next;
	uint32_t from;
	char subject[96];
	size_t len;
	char data[];
};

struct net {
	uint32_t nodes, services, observers;
	struct ow_bridge *bridge[NODES_MAX];
	uint32_t number[NODES_MAX]; /* carriers point here */
	struct message *first, **last;
	uint64_t messages, bytes; /* delivered to the first observer */
	uint64_t work_ns;	  /* of the first observer */
};

static struct net net;

/* ---- the transport ---- */

static int send_message(void *arg, const char *subject, const char *reply,
			const void *data, size_t len)
{
	struct message *l = malloc(sizeof(*l) + len);

	(void)reply;
	if (l == NULL)
		abort();
	l->next = NULL;
	l->from = *(uint32_t *)arg;
	snprintf(l->subject, sizeof(l->subject), "%s", subject);
	l->len = len;
	memcpy(l->data, data, len);
	*net.last = l;
	net.last = &l->next;
	return 0;
}

static bool is_advertisement(const struct message *l)
{
	struct ow_br_frame f;

	memcpy(&f, l->data + sizeof(struct ow_br_batch), sizeof(f));
	return f.kind == OW_BR_ADVERT || f.kind == OW_BR_ADVERT_PART;
}

/* It keeps the generation of the offers, so it does not ask again each
 * heartbeat. */
static void keep_generation(const struct message *l, uint32_t to)
{
	struct ow_bridge *b = net.bridge[to];
	struct ow_br_peer *p;
	struct ow_br_advert n;

	memcpy(&n, l->data + sizeof(struct ow_br_batch) +
		       sizeof(struct ow_br_frame), sizeof(n));
	pthread_mutex_lock(&b->peers.lock);
	p = ow_br_peer_need(&b->peers, l->from + 1, BRIDGE);
	if (p != NULL)
		p->gen = n.gen;
	pthread_mutex_unlock(&b->peers.lock);
}

static void deliver(const struct message *l, uint32_t to)
{
	uint64_t start = ow_clock_mono_ns();

	if (to >= net.observers && is_advertisement(l)) {
		keep_generation(l, to);
		return;
	}
	ow_br_message(&net.bridge[to]->peers, l->subject, l->data, l->len);
	if (to != 0)
		return;
	net.messages++;
	net.bytes += l->len;
	net.work_ns += ow_clock_mono_ns() - start;
}

/* ow.sim.FROM.all or ow.sim.FROM.TO.BRIDGE */
static void post(const struct message *l)
{
	unsigned int from = 0, to = 0;
	uint32_t i;

	if (sscanf(l->subject, "ow.sim.%u.%u.", &from, &to) == 2) {
		if (to >= 1 && to <= net.nodes)
			deliver(l, to - 1);
		return;
	}
	for (i = 0; i < net.nodes; i++)
		if (i != l->from)
			deliver(l, i);
}

/* Until nobody says anything more; the first observer settles as its clock
 * would, once. */
static void run_all(void)
{
	struct message *l;
	uint64_t start;

	while ((l = net.first) != NULL) {
		net.first = l->next;
		if (net.first == NULL)
			net.last = &net.first;
		post(l);
		free(l);
	}
	start = ow_clock_mono_ns();
	ow_br_offers_settle(&net.bridge[0]->dir);
	net.work_ns += ow_clock_mono_ns() - start;
}

/* ---- nodes ---- */

static struct ow_bridge *make(uint32_t i)
{
	struct ow_bridge *b = calloc(1, sizeof(*b));
	char name[OW_BR_NAME];
	uint32_t k;

	if (b != NULL)
		ow_br_layers_join(b);
	if (b == NULL || ow_br_batch_make(&b->peers) != 0)
		abort();
	pthread_mutex_init(&b->peers.lock, NULL);
	b->dir.changed_fd = -1;
	b->peers.id = BRIDGE;
	b->dir.gen = 1;
	b->peers.opt.node = i + 1;
	b->peers.opt.heartbeat_ms = 1000;
	snprintf(b->peers.opt.root, sizeof(b->peers.opt.root), "ow.sim");
	net.number[i] = i;
	b->peers.carrier =
	    (struct ow_br_carrier){ &net.number[i], send_message, NULL };
	for (k = 0; k < net.services; k++) {
		snprintf(name, sizeof(name), "N%03uS%07u", i + 1, k);
		ow_br_names_add(&b->dir.own, name);
	}
	ow_br_names_order(&b->dir.own);
	return b;
}

static size_t memory(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* ---- figures ---- */

static void reset(void)
{
	net.messages = net.bytes = net.work_ns = 0;
}

static void print(const char *what, const char *end)
{
	printf("\"%s\": {\"messages\": %llu, \"bytes\": %llu, "
	       "\"work_ms\": %.3f}%s", what, (unsigned long long)net.messages,
	       (unsigned long long)net.bytes, (double)net.work_ns / 1e6, end);
	reset();
}

/* Services of others that the first observer knows. */
static uint32_t known(void)
{
	const struct ow_bridge *b = net.bridge[0];
	uint32_t i, n = 0;

	for (i = 0; i < b->peers.npeers; i++)
		n += b->peers.peer[i]->up ? b->peers.peer[i]->offers.n : 0;
	return n;
}

/* The mean of many choices of a bridge, as each call makes one. */
static double choice_ns(void)
{
	const struct ow_br_names *w = &net.bridge[0]->dir.wanted;
	uint64_t start = ow_clock_mono_ns();
	uint32_t i, k = 0;

	for (i = 0; i < 100000; i++) {
		k = (k + 7919) % w->n;
		if (ow_br_choose(&net.bridge[0]->calls, w->name[k]) == NULL &&
		    w->name[k][0] != '@') /* a bridge's own */
			abort(); /* what is offered has an owner */
	}
	return (double)(ow_clock_mono_ns() - start) / 100000;
}

/* The others are there and know each other; the observers join. */
static void join(void)
{
	size_t before;
	uint32_t i;

	for (i = net.observers; i < net.nodes; i++)
		ow_br_up(&net.bridge[i]->peers);
	for (i = 1; i < net.observers; i++)
		ow_br_up(&net.bridge[i]->peers);
	run_all();
	reset();
	before = memory();
	ow_br_up(&net.bridge[0]->peers);
	run_all();
	print("join", ", ");
	printf("\"memory_mb\": %.1f, \"known\": %u, ",
	       (double)(memory() - before) / 1e6, known());
}

/* A minute with nothing new: 60 heartbeats, all offers once. */
static void rest(void)
{
	uint32_t i, heartbeat;

	for (heartbeat = 0; heartbeat < 60; heartbeat++) {
		for (i = 0; i < net.nodes; i++)
			ow_br_heartbeat(&net.bridge[i]->peers, NULL, false, false);
		run_all();
	}
	for (i = 0; i < net.nodes; i++) {
		ow_br_offers_tell(&net.bridge[i]->dir, NULL);
		run_all();
	}
	print("minute", ", ");
}

/* The last node leaves in order and comes back. */
static void leave(void)
{
	struct ow_bridge *b = net.bridge[net.nodes - 1];

	ow_br_heartbeat(&b->peers, NULL, false, true);
	run_all();
	print("leave", ", ");
	printf("\"known_then\": %u, ", known());
	ow_br_up(&b->peers);
	run_all();
	print("back", ", ");
}

int main(int argc, char **argv)
{
	uint32_t i;
	int c;

	net = (struct net){ .nodes = 100, .services = 10000, .observers = 2,
			    .last = &net.first };
	while ((c = getopt(argc, argv, "n:s:o:")) != -1) {
		switch (c) {
		case 'n': net.nodes = (uint32_t)atoi(optarg); break;
		case 's': net.services = (uint32_t)atoi(optarg); break;
		case 'o': net.observers = (uint32_t)atoi(optarg); break;
		default: return 2;
		}
	}
	if (net.nodes < 2 || net.nodes > NODES_MAX || net.services < 1 ||
	    net.observers < 1 || net.observers >= net.nodes)
		return 2;
	for (i = 0; i < net.nodes; i++)
		net.bridge[i] = make(i);
	printf("{\"nodes\": %u, \"services\": %u, ", net.nodes, net.services);
	join();
	printf("\"choice_ns\": %.0f, ", choice_ns());
	rest();
	leave();
	printf("\"known_again\": %u}\n", known());
	return 0;
}
