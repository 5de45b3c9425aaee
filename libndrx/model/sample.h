/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - copy the state of a domain out of shared memory
 *
 * The tables are mapped read-only: ndrxtop cannot disturb the domain, and
 * needs neither ndrxd nor a server. Other processes write while a sample is
 * copied: a server is taken only if the same process had the slot before and
 * after the copy, an offer only if the row belonged to the same service.
 * All that the console shows comes from samples, so the model can be tested
 * with samples made by hand.
 */
#ifndef OW_SAMPLE_H
#define OW_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libndrx/observe/counts.h"
#include "libndrx/observe/disk.h"
#include "libndrx/observe/snapshots.h"
#include "libndrx/model/calls_sample.h"
#include "libndrx/model/procs.h"
#include "libndrx/model/routes_sample.h"
#include "libatmi/domain/nodes.h"

struct ow_seen_service {
	uint32_t index;
	char name[32];
	uint32_t nsrv;
	bool queue; /* it exists */
	bool suspended;
	uint32_t depth, maxmsg, msgsize;
	uint64_t expired, full, failed;
	bool cached; /* now, or once */
	uint64_t cache_hits, cache_misses;
};

struct ow_seen_server {
	uint32_t srvid;	 /* of its slot */
	uint32_t of;	 /* a dispatch thread: of its server, which is shown */
	int32_t pid; /* 0: no process */
	uint64_t start;
	bool alive;
	uint32_t state; /* enum ow_srv_state */
	uint32_t busy_svc; /* 1 + service of the request being served */
	uint64_t busy_since_ns;
	uint64_t requests, wakeups, garbage, lost;
	char bin[64];
	/* ndrxd's view */
	char group[32]; /* process group, "" none */
	uint32_t ctl_state, ctl_restarts, ctl_failures;
	int32_t ctl_exit;
	uint64_t ctl_changed_ns; /* 0: ndrxd has not seen it */
	struct ow_proc proc;
};

/* A service of a server; after its server, in order of the servers. */
struct ow_seen_offer {
	uint32_t srvid, row, svc;
	uint32_t of; /* as above */
	char func[32];
	uint32_t depth_peak;
	uint64_t max_us, wait_max_us, front_ns;
	struct ow_counts counts;
};

struct ow_seen_client {
	uint32_t slot, gen, ctx, srvid;
	int32_t pid;
	bool alive;
	uint32_t outstanding;
	uint64_t calls, timeouts, late;
	char cltid[96];
};

/* A link of a bridge to another node. */
struct ow_seen_link {
	uint32_t srvid; /* of the bridge here */
	bool connected; /* to nats-server */
	char cluster[40];
	struct ow_nodes_link link;
};

/* Arrays belong to the sample and live until the next look. */
struct ow_sample {
	uint64_t now_ns; /* monotonic */
	uint64_t real_ns;
	bool domain;	 /* the tables exist */
	char why[256];	 /* why they do not */
	char prefix[48];
	long nodeid;
	int32_t ndrxd_pid;    /* 0: it does not run */
	bool ndrxd_stopped;   /* by a signal */
	bool ndrxd_expected;  /* one has run here */
	uint64_t mq_bytes, mq_limit;
	/* looks of waiting processes before they sleep: all, those that found a
	 * message, the time they took */
	uint64_t spins, spin_hits, spin_ns;
	struct ow_disk logs;  /* where the logs are */
	struct ow_seen_service *services;
	struct ow_seen_server *servers;
	struct ow_seen_offer *offers;
	struct ow_seen_client *clients;
	size_t n_services, n_servers, n_offers, n_clients;
	/* what each tmsrv and tmqueue shows */
	struct ow_tm_snapshot **trans;
	struct ow_mq_snapshot **spaces;
	size_t n_trans, n_spaces;
	struct ow_seen_link *links;
	size_t n_links;
	uint32_t unconnected; /* server id of a bridge without nats-server; 0:
				 there is none. The black box has its links */
	struct ow_seen_call *calls; /* ow_sampler_see_calls() */
	size_t n_calls;
	struct ow_seen_route *routes; /* of gates for HTTP */
	size_t n_routes;
};

struct ow_sampler;

/* Read the environment; the domain need not exist. 0 or -errno. */
int ow_sampler_open(struct ow_sampler **ret, char *why, size_t size);
struct ow_sampler *ow_sampler_close(struct ow_sampler *s);
static inline void ow_sampler_closep(struct ow_sampler **s)
{
	*s = ow_sampler_close(*s);
}

/* Whether samples have the requests in flight, too: a look at all blocks. */
void ow_sampler_see_calls(struct ow_sampler *s, bool see);

/*
 * Take a sample, valid until the next one. `switches`: also read context
 * switches, which costs another read for each process. 0 or -ENOMEM; an
 * absent domain is not an error.
 */
int ow_sampler_look(struct ow_sampler *s, bool switches,
		    const struct ow_sample **ret);

/* The environment of the domain, for orders to ndrxd. */
struct ow_domain;
const struct ow_domain *ow_sampler_domain(const struct ow_sampler *s);

#endif
