/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - the rows that the screens show
 *
 * One struct for each kind of row. Figures are doubles (NAN: unknown), texts
 * are arrays: a column names its field by offset (screen.h), so a screen is
 * data. Rates are per second over the window of the model, times are
 * microseconds.
 */
#ifndef OW_ROWS_H
#define OW_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "libndrx/observe/disk.h"

#define OW_SPARK 64 /* remembered depths, one a second */

/* How much a row asks for attention. */
enum ow_grade {
	OW_GRADE_CALM,
	OW_GRADE_LOOK, /* worth a look */
	OW_GRADE_BAD,  /* an operator should act */
};

/* Every row begins with this. */
struct ow_row {
	uint64_t key; /* identity: the same at each look */
	int grade;    /* enum ow_grade */
	uint32_t svc; /* 1 + index of the service it is about, 0: none */
	uint32_t srvid; /* of the server it is about, 0: none */
};

/* services, queues, wake-ups */
struct ow_service_row {
	struct ow_row row;
	char name[32];
	double servers, busy, use; /* use: % of the servers' time */
	double calls, errors, expired, calls_all, errors_all;
	double wait50, wait99, serve50, serve99;
	double depth, depth_max, mean, peak, bytes, oldest;
	double full, full_all, room; /* room: messages the queue can take */
	double wakes, vain, switches; /* per call */
	double held; /* busy servers that wait for a reply themselves */
	double active; /* servers that took calls */
	double share;  /* of the busiest of them, % of the calls */
	double hits, hits_all, misses_all; /* of kept replies */
	uint16_t depths[OW_SPARK]; /* a ring; the newest at depth_at */
	uint32_t depth_at;
	bool suspended;
};

/* Do all its busy servers wait for replies to calls of their own? */
static inline bool ow_service_held(const struct ow_service_row *v)
{
	return v->busy > 0 && v->held >= v->busy;
}

/* Are its servers busy all the time, while requests wait? */
static inline bool ow_service_saturated(const struct ow_service_row *v)
{
	return v->depth > 0 && v->servers > 0 && v->use >= 95;
}

struct ow_server_row {
	struct ow_row row;
	char name[64];
	char state[16];
	double id, pid, restarts, calls, calls_all, cpu, memory;
	char request[32]; /* the service of the request being served */
	double age;	  /* of that request */
	double since;	  /* in this state, as ndrxd sees it */
	char last[32];	  /* how the process before this one ended */
	char group[32];	  /* process group */
	char offers[48];  /* its first service, and how many more */
	double n_offers;
	bool waits;	  /* for the reply to a call of its own */
	bool dies;	  /* again and again; it lives now */
};

/* A service of a server. */
struct ow_offer_row {
	struct ow_row row;
	char name[32];	  /* service */
	char func[32];
	char program[64];
	char state[16];
	double id, calls, errors, calls_all, errors_all, share;
	double serve50, serve99, serve_max, wait99, wait_max, wakes, vain;
};

struct ow_client_row {
	struct ow_row row;
	char name[64];
	char kind[8];
	double pid, ctx, calls, calls_all, outstanding, timeouts, late;
};

/* A request that waits or is served. */
struct ow_call_row {
	struct ow_row row;
	char name[32]; /* service */
	char state[12];
	char where[48];	 /* place in the queue, or server and thread */
	char caller[48]; /* program and user */
	char trace[33];	 /* "": unknown */
	char why[400];	 /* why it is not finished */
	double age, left, pid, prio, size, n; /* n: requests of the row */
};

/* A link of a bridge here to one of another node. */
struct ow_link_row {
	struct ow_row row;
	char cluster[40];
	char state[8];
	double srvid, node, bridge; /* the bridge here; the other end */
	double services, rtt, out, in, errors, out_all, in_all, lost;
	double outstanding, waiting;
	double silent; /* since it was heard */
};

/* A route of a gate for HTTP. */
struct ow_route_row {
	struct ow_row row;
	char method[12], path[160], target[64];
	char state[8]; /* of the gate */
	double id, calls, p50, p99, open, calls_all;
	double refused, broken, shed, not_done, unknown;
	double age; /* of the figures */
	double left; /* until the certificate of the gate ends; NAN: none */
};

struct ow_event_row {
	struct ow_row row;
	char when[24];
	double age;
	char what[16];
	char who[64];
	double id, pid;
	char text[392];
};

/* A transaction. */
struct ow_tran_row {
	struct ow_row row;
	char id[20];
	char state[16];
	char holder[48]; /* who has begun it */
	char rms[48];	 /* its branches: resource manager and state */
	char result[16]; /* what a branch that is not done has answered */
	double age, left; /* left: until its time-out */
	double branches, doubt, tries, tm;
	bool late; /* prepared, and not ended within its time-out */
};

/* A durable queue. */
struct ow_durable_row {
	struct ow_row row;
	char name[16];
	char space[16];
	char kind[8]; /* auto, error: it gets what others give up */
	double depth, locked, bytes, oldest, waiting;
	double in, out, failures; /* per second */
	double in_all, out_all, failed;
	bool full;   /* the disk of its space is */
};

/* The domain as a whole, for the head of the screen. */
struct ow_overview {
	bool domain;
	char why[256]; /* why there is no domain */
	char prefix[48];
	long nodeid;
	int32_t ndrxd_pid;
	bool ndrxd_expected, ndrxd_stopped;
	uint64_t real_ns, now_ns;
	uint32_t servers, alive, busy, services, clients;
	double calls, errors, waiting, cpu;
	double open; /* calls of living clients without a reply */
	struct ow_disk logs;
	/* looks of waiting processes before they sleep: a second, those of them
	 * that found a message, seconds of CPU a second */
	double spins, spin_hits, spin_cpu;
	/* transactions ended a second, now under way, branches in doubt */
	double committed, rolled_back, active, doubt;
	/* prepared branches whose tmsrv does not run, for some time */
	double strays;
	uint32_t strays_rm; /* resource manager of some of them */
	uint32_t silent_rm, silent_s; /* one that does not answer, and for how
					 long; 0: all do */
	char undecided[64]; /* "tmsrv 101: REASON": it can write no decision;
			       "" */
	uint32_t unconnected; /* a bridge without nats-server; 0: none */
	double mq_used; /* % of RLIMIT_MSGQUEUE, NAN: no limit */
	uint32_t looks; /* samples processed */
};

#endif
