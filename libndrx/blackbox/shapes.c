/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.c - the fields of each kind of row
 *
 * A row of a table here is what is kept: what is not listed is zero in a state
 * that was read back. OW_BB_VERSION (layout.h) changes with each change.
 */
#include "libndrx/blackbox/shapes.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define PLACE(s, m) .at = offsetof(struct s, m), .size = sizeof(((struct s *)0)->m)
#define NUMBER(s, m) { PLACE(s, m), .count = 1, .type = OW_BB_NUMBER }
#define DETAIL(s, m) { PLACE(s, m), .count = 1, .type = OW_BB_NUMBER, .detail = true }
#define TEXT(s, m) { PLACE(s, m), .count = 1, .type = OW_BB_TEXT }
#define TIME(s, m) { PLACE(s, m), .count = 1, .type = OW_BB_TIME }
#define LATE(s, m) { PLACE(s, m), .count = 1, .type = OW_BB_TIME, .detail = true }

static const struct ow_bb_field domain[] = {
	NUMBER(ow_bb_domain, domain),
	NUMBER(ow_bb_domain, ndrxd_stopped),
	NUMBER(ow_bb_domain, ndrxd_expected),
	NUMBER(ow_bb_domain, ndrxd_pid),
	NUMBER(ow_bb_domain, nodeid),
	NUMBER(ow_bb_domain, mq_bytes),
	NUMBER(ow_bb_domain, mq_limit),
	DETAIL(ow_bb_domain, spins),
	DETAIL(ow_bb_domain, spin_hits),
	DETAIL(ow_bb_domain, spin_ns),
	NUMBER(ow_bb_domain, logs.known),
	DETAIL(ow_bb_domain, logs.avail),
	NUMBER(ow_bb_domain, logs.total),
	DETAIL(ow_bb_domain, logs.files),
	TEXT(ow_bb_domain, logs.dir),
	TEXT(ow_bb_domain, why),
	TEXT(ow_bb_domain, prefix),
};

static const struct ow_bb_field service[] = {
	NUMBER(ow_bb_service, v.depth),
	NUMBER(ow_bb_service, v.nsrv),
	NUMBER(ow_bb_service, v.queue),
	NUMBER(ow_bb_service, v.suspended),
	NUMBER(ow_bb_service, v.expired),
	NUMBER(ow_bb_service, v.full),
	NUMBER(ow_bb_service, v.failed),
	DETAIL(ow_bb_service, v.cache_hits),
	DETAIL(ow_bb_service, v.cache_misses),
	NUMBER(ow_bb_service, v.cached),
	NUMBER(ow_bb_service, v.maxmsg),
	NUMBER(ow_bb_service, v.msgsize),
	TEXT(ow_bb_service, v.name),
};

static const struct ow_bb_field server[] = {
	DETAIL(ow_bb_server, v.requests),
	NUMBER(ow_bb_server, v.state),
	NUMBER(ow_bb_server, v.busy_svc),
	TIME(ow_bb_server, v.busy_since_ns),
	NUMBER(ow_bb_server, v.pid),
	NUMBER(ow_bb_server, v.start),
	NUMBER(ow_bb_server, v.alive),
	NUMBER(ow_bb_server, v.of),
	DETAIL(ow_bb_server, v.wakeups),
	DETAIL(ow_bb_server, v.garbage),
	DETAIL(ow_bb_server, v.lost),
	NUMBER(ow_bb_server, v.ctl_state),
	NUMBER(ow_bb_server, v.ctl_restarts),
	NUMBER(ow_bb_server, v.ctl_failures),
	NUMBER(ow_bb_server, v.ctl_exit),
	TIME(ow_bb_server, v.ctl_changed_ns),
	LATE(ow_bb_server, v.proc.read_ns),
	NUMBER(ow_bb_server, v.proc.start),
	NUMBER(ow_bb_server, v.proc.zombie),
	NUMBER(ow_bb_server, v.proc.stopped),
	DETAIL(ow_bb_server, v.proc.cpu_us),
	DETAIL(ow_bb_server, v.proc.rss),
	DETAIL(ow_bb_server, v.proc.requests),
	TEXT(ow_bb_server, v.bin),
	TEXT(ow_bb_server, v.group),
};

static const struct ow_bb_field offer[] = {
	NUMBER(ow_bb_offer, v.svc),
	NUMBER(ow_bb_offer, v.of),
	TEXT(ow_bb_offer, v.func),
	DETAIL(ow_bb_offer, v.depth_peak),
	DETAIL(ow_bb_offer, v.max_us),
	DETAIL(ow_bb_offer, v.wait_max_us),
	LATE(ow_bb_offer, v.front_ns),
	{ .at = offsetof(struct ow_bb_offer, v.counts.n),
	  .size = sizeof(uint64_t),
	  .count = OW_CNT_END,
	  .type = OW_BB_NUMBER,
	  .detail = true },
};

static const struct ow_bb_field client[] = {
	NUMBER(ow_bb_client, v.gen),
	NUMBER(ow_bb_client, v.ctx),
	NUMBER(ow_bb_client, v.srvid),
	NUMBER(ow_bb_client, v.pid),
	NUMBER(ow_bb_client, v.alive),
	DETAIL(ow_bb_client, v.outstanding),
	DETAIL(ow_bb_client, v.calls),
	NUMBER(ow_bb_client, v.timeouts),
	NUMBER(ow_bb_client, v.late),
	TEXT(ow_bb_client, v.cltid),
};

static const struct ow_bb_field link[] = {
	NUMBER(ow_bb_link, v.connected),
	NUMBER(ow_bb_link, v.link.node),
	NUMBER(ow_bb_link, v.link.bridge),
	NUMBER(ow_bb_link, v.link.up),
	NUMBER(ow_bb_link, v.link.offers),
	LATE(ow_bb_link, v.link.heard_ns),
	DETAIL(ow_bb_link, v.link.rtt_ns),
	DETAIL(ow_bb_link, v.link.calls_out),
	DETAIL(ow_bb_link, v.link.calls_in),
	NUMBER(ow_bb_link, v.link.errors),
	NUMBER(ow_bb_link, v.link.lost),
	NUMBER(ow_bb_link, v.link.outstanding),
	NUMBER(ow_bb_link, v.link.waiting),
	NUMBER(ow_bb_link, v.link.left),
	NUMBER(ow_bb_link, v.link.cut),
	TEXT(ow_bb_link, v.cluster),
};

static const struct ow_bb_field tm[] = {
	NUMBER(ow_bb_tm, rmid),
	{ .at = offsetof(struct ow_bb_tm, count),
	  .size = sizeof(uint64_t),
	  .count = OW_TM_COUNTS,
	  .type = OW_BB_NUMBER },
	NUMBER(ow_bb_tm, active),
	NUMBER(ow_bb_tm, ending),
	NUMBER(ow_bb_tm, heuristic),
	NUMBER(ow_bb_tm, in_doubt),
	TIME(ow_bb_tm, late_ns),
	NUMBER(ow_bb_tm, strays),
	TIME(ow_bb_tm, stray_ns),
	NUMBER(ow_bb_tm, log_error),
	NUMBER(ow_bb_tm, silent_s),
};

static const struct ow_bb_field tran[] = {
	NUMBER(ow_bb_tran, tm),
	TIME(ow_bb_tran, v.begun_ns),
	TIME(ow_bb_tran, v.deadline_ns),
	NUMBER(ow_bb_tran, v.branches),
	NUMBER(ow_bb_tran, v.prepared),
	NUMBER(ow_bb_tran, v.tries),
	NUMBER(ow_bb_tran, v.doomed),
	TEXT(ow_bb_tran, v.state),
	TEXT(ow_bb_tran, v.holder),
	TEXT(ow_bb_tran, v.rms),
	TEXT(ow_bb_tran, v.result),
};

static const struct ow_bb_field space[] = {
	NUMBER(ow_bb_space, full),
	TEXT(ow_bb_space, space),
};

static const struct ow_bb_field queue[] = {
	NUMBER(ow_bb_queue, v.flags),
	NUMBER(ow_bb_queue, v.waiting),
	NUMBER(ow_bb_queue, v.queued),
	NUMBER(ow_bb_queue, v.locked),
	NUMBER(ow_bb_queue, v.bytes),
	DETAIL(ow_bb_queue, v.enqueued),
	DETAIL(ow_bb_queue, v.dequeued),
	DETAIL(ow_bb_queue, v.succeeded),
	NUMBER(ow_bb_queue, v.failed),
	DETAIL(ow_bb_queue, v.since_ns),
	TEXT(ow_bb_queue, v.name),
};

static const struct ow_bb_field route[] = {
	NUMBER(ow_bb_route, v.state),
	NUMBER(ow_bb_route, v.route.in_force),
	DETAIL(ow_bb_route, v.route.in_flight),
	DETAIL(ow_bb_route, v.route.requests),
	DETAIL(ow_bb_route, v.route.rate_milli),
	DETAIL(ow_bb_route, v.route.p50_us),
	DETAIL(ow_bb_route, v.route.p99_us),
	NUMBER(ow_bb_route, v.route.refused),
	NUMBER(ow_bb_route, v.route.broken),
	NUMBER(ow_bb_route, v.route.shed),
	NUMBER(ow_bb_route, v.route.not_done),
	NUMBER(ow_bb_route, v.route.unknown),
	TEXT(ow_bb_route, v.method),
	TEXT(ow_bb_route, v.path),
	TEXT(ow_bb_route, v.target),
};

#define SHAPE(name)                                                        \
	{ .size = sizeof(struct ow_bb_##name), .n = COUNT(name), .fields = name }

const struct ow_bb_shape ow_bb_shapes[OW_BB_KINDS] = {
	[OW_BB_DOMAIN] = SHAPE(domain),	  [OW_BB_SERVICE] = SHAPE(service),
	[OW_BB_SERVER] = SHAPE(server),	  [OW_BB_OFFER] = SHAPE(offer),
	[OW_BB_CLIENT] = SHAPE(client),	  [OW_BB_LINK] = SHAPE(link),
	[OW_BB_TM] = SHAPE(tm),		  [OW_BB_TRAN] = SHAPE(tran),
	[OW_BB_SPACE] = SHAPE(space),	  [OW_BB_QUEUE] = SHAPE(queue),
	[OW_BB_ROUTE] = SHAPE(route),
};
