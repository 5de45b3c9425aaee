/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h - what a bridge shows of the other nodes of its cluster
 *
 * A snapshot (snapshot.h) of kind `nodes`.
 */
#ifndef OW_NODES_H
#define OW_NODES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/buckets.h"
#include "libatmi/domain/snapshot.h"

#define OW_NODES_LINKS	1024u
#define OW_NODES_OFFERS 4096u
#define OW_NODES_TIMES	256u

struct ow_domain;

/* A link to a bridge of another node. */
struct ow_nodes_link {
	uint32_t node, bridge;
	uint32_t up, offers;
	uint64_t heard_ns; /* monotonic */
	uint64_t rtt_ns;
	uint64_t calls_out, calls_in, errors, lost;
	uint32_t outstanding, waiting; /* calls to it: sent; held back */
	uint32_t left; /* 1: it has ended in order */
	uint32_t cut;  /* enum ow_nodes_cut: its node is cut off */
};

/* What a node has done that is cut off. */
enum ow_nodes_cut {
	OW_NODES_CUT_NONE,
	OW_NODES_CUT_ROWS,
	OW_NODES_CUT_CREDIT,
	OW_NODES_CUT_RATE,
	OW_NODES_CUT_END
};

/* A service, by one of the links. */
struct ow_nodes_offer {
	char name[32];
	uint32_t node, pad;
};

/* Calls from here of a service of another node, and how long they took until
 * their reply was here, or they were given up. Grows, from the start of the
 * bridge on. */
struct ow_nodes_time {
	char svc[32];
	uint32_t node, pad;
	uint64_t calls, failed, sum_us;
	uint64_t hist[OW_HIST_BUCKETS]; /* buckets.h */
};

struct ow_nodes_snapshot {
	struct ow_snapshot head;
	uint32_t node, connected;
	uint64_t written_ns, garbage;
	/* A look at the tables, at this time or later (monotonic): the other
	 * nodes know its outcome, and what they had sent before has its place in
	 * a queue. Changes without ow_nodes_begin(). */
	_Atomic uint64_t placed_ns;
	char cluster[40];
	uint32_t links, offers; /* entries that follow */
	uint32_t times, pad;
	struct ow_nodes_link link[OW_NODES_LINKS];
	struct ow_nodes_offer offer[OW_NODES_OFFERS];
	struct ow_nodes_time time[OW_NODES_TIMES];
};

/* For the bridge: its file, made if need be. 0, -EPERM, -ENOSPC, -errno. */
int ow_nodes_open(const struct ow_domain *d, uint32_t srvid,
		  struct ow_nodes_snapshot **ret);
/* Around each change. */
void ow_nodes_begin(struct ow_nodes_snapshot *p);
void ow_nodes_end(struct ow_nodes_snapshot *p);
void ow_nodes_close(struct ow_nodes_snapshot *p);

const char *ow_nodes_cut_text(uint32_t cut);

/* Is a program of this name a bridge? */
bool ow_nodes_is_bridge(const char bin[64]);
/* What bridge `srvid` has noted as `placed_ns`; 0: nothing. */
uint64_t ow_nodes_placed_ns(const struct ow_domain *d, uint32_t srvid);
/* For listings: a copy of what bridge `srvid` shows, to be freed; NULL: there
 * is none, or its process is dead. */
struct ow_nodes_snapshot *ow_nodes_read(const struct ow_domain *d,
					uint32_t srvid);

#endif
