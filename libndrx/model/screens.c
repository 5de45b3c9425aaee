/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screens.c - the table of screens with their columns
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "libndrx/model/screen.h"

#define SVC(f) offsetof(struct ow_service_row, f)
#define SRV(f) offsetof(struct ow_server_row, f)
#define OFF(f) offsetof(struct ow_offer_row, f)
#define CLT(f) offsetof(struct ow_client_row, f)
#define EVT(f) offsetof(struct ow_event_row, f)
#define TRN(f) offsetof(struct ow_tran_row, f)
#define DUR(f) offsetof(struct ow_durable_row, f)
#define CLL(f) offsetof(struct ow_call_row, f)
#define RTE(f) offsetof(struct ow_route_row, f)
#define LNK(f) offsetof(struct ow_link_row, f)

/* Any value above 0. */
#define ANY 1e-9

/* title, about, format, field, width, drop, grows, look, bad */
static const struct ow_column services[] = {
	{ "SERVICE", "name", OW_FMT_TEXT, SVC(name), 12, 0, true, 0, 0 },
	{ "CALLS/S", "calls served a second", OW_FMT_RATE, SVC(calls), 7, 0,
	  false, 0, 0 },
	{ "ERR/S", "calls failed a second, by the service or the system",
	  OW_FMT_RATE, SVC(errors), 5, 0, false, ANY, 0 },
	{ "QUEUE", "requests waiting now", OW_FMT_COUNT, SVC(depth), 5, 0,
	  false, 0, 0 },
	{ "HISTORY", "deepest queue of each second, the last one right",
	  OW_FMT_SPARK, SVC(depths), 8, 3, true, 0, 0 },
	{ "WAIT50", "half of the requests waited less than this in the queue",
	  OW_FMT_TIME, SVC(wait50), 6, 4, false, 0, 0 },
	{ "WAIT99", "99 of 100 requests waited less than this",
	  OW_FMT_TIME, SVC(wait99), 6, 0, false, 1e6, 5e6 },
	{ "SERV50", "half of the requests were served in less than this",
	  OW_FMT_TIME, SVC(serve50), 6, 3, false, 0, 0 },
	{ "SERV99", "99 of 100 requests were served in less than this",
	  OW_FMT_TIME, SVC(serve99), 6, 0, false, 0, 0 },
	{ "BUSY", "servers that are serving a request", OW_FMT_COUNT,
	  SVC(busy), 4, 1, false, 0, 0 },
	{ "SRVS", "servers that offer it", OW_FMT_COUNT, SVC(servers), 4, 0,
	  false, 0, 0 },
	{ "USE%", "part of their time spent serving it", OW_FMT_PERCENT,
	  SVC(use), 4, 5, false, 80, 0 },
	{ "CALLS", "calls since its servers started", OW_FMT_COUNT,
	  SVC(calls_all), 6, 6, false, 0, 0 },
	{ "ERRORS", "failed calls, error replies of the system included",
	  OW_FMT_COUNT, SVC(errors_all), 6, 8, false, 0, 0 },
	{ "HIT/S", "calls a second that got a kept reply and woke no server",
	  OW_FMT_RATE, SVC(hits), 6, 7, false, 0, 0 },
	{ "HITS", "calls that got a kept reply", OW_FMT_COUNT, SVC(hits_all),
	  6, 9, false, 0, 0 },
	{ "MISSES", "calls of a cached service for which none was kept",
	  OW_FMT_COUNT, SVC(misses_all), 6, 10, false, 0, 0 },
};

static const struct ow_column servers[] = {
	{ "ID", "server id", OW_FMT_ID, SRV(id), 5, 0, false, 0, 0 },
	{ "PROGRAM", "program", OW_FMT_TEXT, SRV(name), 10, 0, true, 0, 0 },
	{ "STATE", "idle, busy, start, stop, off; stopped (by a signal), dead, "
	  "died, restart ...",
	  OW_FMT_TEXT, SRV(state), 7, 0, false, 0, 0 },
	{ "PID", "process", OW_FMT_ID, SRV(pid), 7, 6, false, 0, 0 },
	{ "CALLS/S", "requests received a second", OW_FMT_RATE, SRV(calls), 7,
	  0, false, 0, 0 },
	{ "CALLS", "requests since it started", OW_FMT_COUNT, SRV(calls_all),
	  6, 3, false, 0, 0 },
	{ "CPU%", "of one processor", OW_FMT_PERCENT, SRV(cpu), 4, 0, false,
	  95, 0 },
	{ "MEMORY", "resident", OW_FMT_BYTES, SRV(memory), 6, 2, false, 0,
	  0 },
	{ "GROUP", "process group", OW_FMT_TEXT, SRV(group), 8, 5, false, 0,
	  0 },
	{ "SERVICES", "its first service, and how many more it offers",
	  OW_FMT_TEXT, SRV(offers), 12, 7, true, 0, 0 },
	{ "REQUEST", "service of the request being served", OW_FMT_TEXT,
	  SRV(request), 10, 1, true, 0, 0 },
	{ "FOR", "age of that request", OW_FMT_TIME, SRV(age), 6, 0,
	  false, 5e6, 30e6 },
	{ "RST", "restarts by ndrxd", OW_FMT_COUNT, SRV(restarts), 4, 0,
	  false, ANY, 0 },
	{ "SINCE", "time in this state, as ndrxd sees it", OW_FMT_TIME,
	  SRV(since), 6, 8, false, 0, 0 },
	{ "LAST EXIT", "how its process ended the last time", OW_FMT_TEXT,
	  SRV(last), 12, 4, false, 0, 0 },
};

static const struct ow_column queues[] = {
	{ "QUEUE", "service", OW_FMT_TEXT, SVC(name), 12, 0, true, 0, 0 },
	{ "NOW", "requests waiting now", OW_FMT_COUNT, SVC(depth), 5, 0, false,
	  0, 0 },
	{ "MEAN", "mean depth in the window, from the waiting times",
	  OW_FMT_RATE, SVC(mean), 5, 0, false, 0, 0 },
	{ "PEAK", "deepest seen since its servers started", OW_FMT_COUNT,
	  SVC(peak), 5, 0, false, 0, 0 },
	{ "ROOM", "requests it can hold; then senders wait",
	  OW_FMT_COUNT, SVC(room), 4, 2, false, 0, 0 },
	{ "HISTORY", "deepest of each second, the last one right",
	  OW_FMT_SPARK, SVC(depths), 8, 1, true, 0, 0 },
	{ "BYTES", "of waiting requests, by their mean size", OW_FMT_BYTES,
	  SVC(bytes), 6, 1, false, 0, 0 },
	{ "OLDEST", "age of the oldest request, at most",
	  OW_FMT_TIME, SVC(oldest), 6, 0, false, 1e6, 5e6 },
	{ "WAIT99", "99 of 100 requests waited less than this",
	  OW_FMT_TIME, SVC(wait99), 6, 3, false, 1e6, 5e6 },
	{ "FULL/S", "sends a second that found it full", OW_FMT_RATE,
	  SVC(full), 6, 0, false, ANY, 0 },
	{ "FULL", "sends that found it full", OW_FMT_COUNT,
	  SVC(full_all), 5, 4, false, 0, 0 },
	{ "LATE/S", "requests a second dropped after their deadline", OW_FMT_RATE,
	  SVC(expired), 6, 0, false, ANY, 0 },
	{ "SRVS", "servers that receive from it", OW_FMT_COUNT, SVC(servers), 4,
	  0, false, 0, 0 },
};

static const struct ow_column clients[] = {
	{ "PROGRAM", "program", OW_FMT_TEXT, CLT(name), 16, 0, true, 0, 0 },
	{ "KIND", "client, server (that calls), dead: not yet removed",
	  OW_FMT_TEXT, CLT(kind), 6, 0, false, 0, 0 },
	{ "PID", "process", OW_FMT_ID, CLT(pid), 7, 0, false, 0, 0 },
	{ "CTX", "context in the process", OW_FMT_ID, CLT(ctx), 5, 2, false,
	  0, 0 },
	{ "CALLS/S", "calls made a second", OW_FMT_RATE, CLT(calls), 7, 0,
	  false, 0, 0 },
	{ "CALLS", "calls made", OW_FMT_COUNT, CLT(calls_all), 6, 0, false, 0,
	  0 },
	{ "OPEN", "calls without a reply yet", OW_FMT_COUNT, CLT(outstanding),
	  5, 0, false, 0, 0 },
	{ "TIMEOUTS", "calls that timed out", OW_FMT_COUNT, CLT(timeouts), 8,
	  0, false, ANY, 0 },
	{ "LATE", "replies that came after the time-out",
	  OW_FMT_COUNT, CLT(late), 6, 1, false, ANY, 0 },
};

static const struct ow_column events[] = {
	{ "TIME", "local time", OW_FMT_TEXT, EVT(when), 12, 3, false, 0, 0 },
	{ "AGO", "how long ago", OW_FMT_TIME, EVT(age), 6, 0, false, 0, 0 },
	{ "EVENT", "what ndrxd did or noticed", OW_FMT_TEXT, EVT(what), 7, 0,
	  false, 0, 0 },
	{ "ID", "server id", OW_FMT_ID, EVT(id), 5, 0, false, 0, 0 },
	{ "WHO", "program, client or group", OW_FMT_TEXT, EVT(who), 12, 1,
	  false, 0, 0 },
	{ "PID", "process", OW_FMT_ID, EVT(pid), 7, 2, false, 0, 0 },
	{ "WHY", "the reason; Enter shows the whole text", OW_FMT_TEXT, EVT(text),
	  20, 0, true, 0, 0 },
};

static const struct ow_column wakeups[] = {
	{ "SERVICE", "name", OW_FMT_TEXT, SVC(name), 12, 0, true, 0, 0 },
	{ "CALLS/S", "calls served a second", OW_FMT_RATE, SVC(calls), 7, 0,
	  false, 0, 0 },
	{ "WAKE/CALL", "times a server was woken for it, per call: 1 is best",
	  OW_FMT_RATE, SVC(wakes), 9, 0, false, 1.5, 5 },
	{ "VAIN/CALL", "wake-ups that found the queue empty", OW_FMT_RATE,
	  SVC(vain), 9, 0, false, 0.5, 5 },
	{ "SWITCH/CALL", "context switches of its servers, per call",
	  OW_FMT_RATE, SVC(switches), 11, 0, false, 3, 10 },
	{ "ACTIVE", "servers that took calls in the window", OW_FMT_COUNT,
	  SVC(active), 6, 0, false, 0, 0 },
	{ "SRVS", "servers that offer it", OW_FMT_COUNT, SVC(servers), 4, 0,
	  false, 0, 0 },
	{ "TOP%", "part of the calls that the busiest server took",
	  OW_FMT_PERCENT, SVC(share), 4, 0, false, 0, 0 },
	{ "BUSY", "servers with a request in hand", OW_FMT_COUNT, SVC(busy),
	  4, 1, false, 0, 0 },
	{ "WAIT50", "half of the requests waited less than this in the queue",
	  OW_FMT_TIME, SVC(wait50), 6, 2, false, 0, 0 },
};

static const struct ow_column trans[] = {
	{ "TRANSACTION", "number, as in the logs; Enter shows all of it",
	  OW_FMT_TEXT, TRN(id), 16, 0, false, 0, 0 },
	{ "STATE", "ACTIVE, PREPARING, COMMITTING (decided), ABORTING, "
	  "HEURISTIC: see `xadmin forgetlocal`",
	  OW_FMT_TEXT, TRN(state), 10, 0, false, 0, 0 },
	{ "AGE", "since it was begun", OW_FMT_TIME, TRN(age), 6, 0, false, 0,
	  0 },
	{ "LEFT", "until its time-out", OW_FMT_TIME, TRN(left), 6, 0, false,
	  0, 0 },
	{ "DOUBT", "branches that are prepared, and not yet told the decision",
	  OW_FMT_COUNT, TRN(doubt), 5, 0, false, 0, 0 },
	{ "TRIES", "how often its end was tried in vain", OW_FMT_COUNT,
	  TRN(tries), 5, 0, false, ANY, 0 },
	{ "BRANCHES", "resource manager and state: a active, p prepared, "
	  "c committed, r rolled back, o read only, h heuristic",
	  OW_FMT_TEXT, TRN(rms), 12, 0, true, 0, 0 },
	{ "BEGUN BY", "program and process that holds it", OW_FMT_TEXT,
	  TRN(holder), 12, 0, true, 0, 0 },
	{ "ANSWER", "of a resource manager that is not done", OW_FMT_TEXT,
	  TRN(result), 12, 1, false, 0, 0 },
	{ "TM", "server id of its tmsrv", OW_FMT_ID, TRN(tm), 5, 2, false, 0,
	  0 },
};

static const struct ow_column durable[] = {
	{ "QUEUE", "name", OW_FMT_TEXT, DUR(name), 12, 0, true, 0, 0 },
	{ "SPACE", "queue space", OW_FMT_TEXT, DUR(space), 8, 0, true, 0, 0 },
	{ "KIND", "auto: its messages go to a service; error: it gets what "
	  "others give up",
	  OW_FMT_TEXT, DUR(kind), 5, 0, false, 0, 0 },
	{ "DEPTH", "messages in it, all states", OW_FMT_COUNT, DUR(depth), 5,
	  0, false, 0, 0 },
	{ "IN/S", "messages put a second", OW_FMT_RATE, DUR(in), 5, 0, false,
	  0, 0 },
	{ "OUT/S", "messages taken a second", OW_FMT_RATE, DUR(out), 5, 0,
	  false, 0, 0 },
	{ "OLDEST", "age of the first message that can be taken", OW_FMT_TIME,
	  DUR(oldest), 6, 0, false, 3600e6, 0 },
	{ "WAITING", "consumers that wait for a message", OW_FMT_COUNT,
	  DUR(waiting), 7, 0, false, 0, 0 },
	{ "FAILED", "messages given up after the last try", OW_FMT_COUNT,
	  DUR(failed), 6, 0, false, 0, 0 },
	{ "FAIL/S", "the same, a second", OW_FMT_RATE, DUR(failures), 6, 3,
	  false, ANY, 0 },
	{ "LOCKED", "of the messages, those that a transaction or a service "
	  "has",
	  OW_FMT_COUNT, DUR(locked), 6, 1, false, 0, 0 },
	{ "BYTES", "of its messages", OW_FMT_BYTES, DUR(bytes), 6, 2, false,
	  0, 0 },
	{ "IN", "messages put so far", OW_FMT_COUNT, DUR(in_all), 6, 4, false,
	  0, 0 },
	{ "OUT", "messages taken so far", OW_FMT_COUNT, DUR(out_all), 6, 5,
	  false, 0, 0 },
};

static const struct ow_column nodes[] = {
	{ "NODE", "number of the other node", OW_FMT_ID, LNK(node), 4, 0,
	  false, 0, 0 },
	{ "BRIDGE", "server id of its bridge", OW_FMT_ID, LNK(bridge), 6, 0,
	  false, 0, 0 },
	{ "STATE", "up; down: silent; left: it has ended in order; no NATS: "
	  "no connection to nats-server here",
	  OW_FMT_TEXT, LNK(state), 7, 0, false, 0, 0 },
	{ "OUT/S", "calls to it a second", OW_FMT_RATE, LNK(out), 6, 0, false,
	  0, 0 },
	{ "IN/S", "calls from it a second", OW_FMT_RATE, LNK(in), 6, 0, false,
	  0, 0 },
	{ "ERR/S", "calls to it a second that ended with an error",
	  OW_FMT_RATE, LNK(errors), 5, 0, false, ANY, 0 },
	{ "OPEN", "calls that wait for its reply", OW_FMT_COUNT,
	  LNK(outstanding), 5, 0, false, 0, 0 },
	{ "BACKLOG", "calls held back because it is slow", OW_FMT_COUNT,
	  LNK(waiting), 7, 0, false, ANY, 0 },
	{ "RTT", "time to it and back", OW_FMT_TIME, LNK(rtt), 6, 0, false, 0,
	  0 },
	{ "HEARD", "time since it was heard", OW_FMT_TIME, LNK(silent), 6, 4,
	  false, 0, 0 },
	{ "SVCS", "services that it offers", OW_FMT_COUNT, LNK(services), 4,
	  0, false, 0, 0 },
	{ "LOST", "calls whose link was lost", OW_FMT_COUNT, LNK(lost), 5, 1,
	  false, ANY, 0 },
	{ "OUT", "calls to it", OW_FMT_COUNT, LNK(out_all), 6, 5, false, 0,
	  0 },
	{ "IN", "calls from it", OW_FMT_COUNT, LNK(in_all), 6, 6, false, 0,
	  0 },
	{ "ID", "server id of the bridge here", OW_FMT_ID, LNK(srvid), 5, 3,
	  false, 0, 0 },
	{ "CLUSTER", "its name", OW_FMT_TEXT, LNK(cluster), 8, 7, true, 0,
	  0 },
};

static const struct ow_column calls[] = {
	{ "SERVICE", "name", OW_FMT_TEXT, CLL(name), 10, 0, true, 0, 0 },
	{ "STATE", "waits, served, continued; elsewhere: its caller waits, no "
	  "request is seen here; unseen: so many more in a kernel queue",
	  OW_FMT_TEXT, CLL(state), 9, 0, false, 0, 0 },
	{ "AGE", "since it was sent", OW_FMT_TIME, CLL(age), 6, 0, false, 1e6,
	  10e6 },
	{ "LEFT", "until its deadline; -: it passed so long ago",
	  OW_FMT_TIME, CLL(left), 6, 0, false, 0, 0 },
	{ "WHERE", "its place in the queue, or the server that has it",
	  OW_FMT_TEXT, CLL(where), 11, 0, true, 0, 0 },
	{ "CALLER", "program and user", OW_FMT_TEXT, CLL(caller), 10, 0, true,
	  0, 0 },
	{ "PID", "process of the caller", OW_FMT_ID, CLL(pid), 7, 1, false, 0,
	  0 },
	{ "PRIO", "priority", OW_FMT_COUNT, CLL(prio), 4, 3, false, 0, 0 },
	{ "SIZE", "of the request", OW_FMT_BYTES, CLL(size), 6, 2, false, 0,
	  0 },
	{ "TRACE", "xadmin logs TRACE has its lines of all logs", OW_FMT_TEXT,
	  CLL(trace), 32, OW_DROP_ROW, false, 0, 0 },
	{ "WHY", "why it is not finished: whom it waits for, and so on",
	  OW_FMT_TEXT, CLL(why), 12, 4, true, 0, 0 },
};

static const struct ow_column http[] = {
	{ "METHOD", "of the route; any: of those without one of their own",
	  OW_FMT_TEXT, RTE(method), 6, 0, false, 0, 0 },
	{ "PATH", "of the route; -: requests that no route took", OW_FMT_TEXT,
	  RTE(path), 12, 0, true, 0, 0 },
	{ "SERVICE", "that is called; (queue), (static), ...", OW_FMT_TEXT,
	  RTE(target), 9, 3, true, 0, 0 },
	{ "CALLS/S", "of the last 10 to 20 s, as the gate says it",
	  OW_FMT_RATE, RTE(calls), 7, 0, false, 0, 0 },
	{ "P50", "half were answered in less than this, lately", OW_FMT_TIME,
	  RTE(p50), 6, 4, false, 0, 0 },
	{ "P99", "99 of 100 were answered in less than this, lately",
	  OW_FMT_TIME, RTE(p99), 6, 0, false, 0, 0 },
	{ "OPEN", "requests in hand", OW_FMT_COUNT, RTE(open), 5, 0, false, 0,
	  0 },
	{ "4XX", "since the gate began, without 429", OW_FMT_COUNT,
	  RTE(refused), 5, 2, false, 0, 0 },
	{ "5XX", "without 503", OW_FMT_COUNT, RTE(broken), 5, 0, false, 0,
	  0 },
	{ "SHED", "429 and 503: too much at once, or nobody serves",
	  OW_FMT_COUNT, RTE(shed), 5, 1, false, 0, 0 },
	{ "UNKN", "failed, and nobody knows what became of the work",
	  OW_FMT_COUNT, RTE(unknown), 5, 0, false, 0, 0 },
	{ "NODONE", "failed, and the work was not done", OW_FMT_COUNT,
	  RTE(not_done), 6, 6, false, 0, 0 },
	{ "CALLS", "since the gate began", OW_FMT_COUNT, RTE(calls_all), 6, 5,
	  false, 0, 0 },
	{ "ID", "server id of the gate", OW_FMT_ID, RTE(id), 5, 7, false, 0,
	  0 },
	{ "AGE", "of the figures", OW_FMT_TIME, RTE(age), 6, 8, false, 0, 0 },
	{ "STATE", "of the gate: up; old, it hangs; dead", OW_FMT_TEXT,
	  RTE(state), 5, 0, false, 0, 0 },
};

static const struct ow_column offers[] = {
	{ "SERVICE", "name", OW_FMT_TEXT, OFF(name), 12, 0, true, 0, 0 },
	{ "ID", "server id", OW_FMT_ID, OFF(id), 5, 0, false, 0, 0 },
	{ "PROGRAM", "program", OW_FMT_TEXT, OFF(program), 10, 4, true, 0,
	  0 },
	{ "FUNCTION", "function that serves it", OW_FMT_TEXT, OFF(func), 10,
	  9, false, 0, 0 },
	{ "STATE", "of the server", OW_FMT_TEXT, OFF(state), 7, 0, false, 0,
	  0 },
	{ "CALLS/S", "calls served a second", OW_FMT_RATE, OFF(calls), 7, 0,
	  false, 0, 0 },
	{ "ERR/S", "calls failed a second", OW_FMT_RATE, OFF(errors), 5, 0,
	  false, ANY, 0 },
	{ "PART%", "of the service's calls", OW_FMT_PERCENT, OFF(share), 5, 1,
	  false, 0, 0 },
	{ "SERV50", "half were served in less than this", OW_FMT_TIME,
	  OFF(serve50), 6, 3, false, 0, 0 },
	{ "SERV99", "99 of 100 were served in less than this", OW_FMT_TIME,
	  OFF(serve99), 6, 0, false, 0, 0 },
	{ "MAX", "longest since it started", OW_FMT_TIME, OFF(serve_max), 6,
	  5, false, 0, 0 },
	{ "WAIT99", "99 of 100 waited less than this", OW_FMT_TIME,
	  OFF(wait99), 6, 6, false, 1e6, 5e6 },
	{ "WAKE/CALL", "times it was woken, per call", OW_FMT_RATE,
	  OFF(wakes), 9, 8, false, 1.5, 5 },
	{ "CALLS", "calls since it started", OW_FMT_COUNT, OFF(calls_all), 6,
	  2, false, 0, 0 },
	{ "ERRORS", "of these failed", OW_FMT_COUNT, OFF(errors_all), 6, 7,
	  false, 0, 0 },
};

#define COLUMNS(c) .columns = (c), .n_columns = sizeof(c) / sizeof(*(c))

static const struct ow_screen screens[OW_SCREEN_END] = {
	[OW_SCREEN_SERVICES] = {
		.name = "services", .title = "Services",
		.about = "calls, errors, queue and times of each service",
		.empty = "no service is offered",
		.source = OW_FROM_SERVICES, COLUMNS(services), .sort = 1,
		.down = OW_SCREEN_OFFERS },
	[OW_SCREEN_SERVERS] = {
		.name = "servers", .title = "Servers",
		.about = "state, load and history of each server process",
		.empty = "no server has run yet",
		.source = OW_FROM_SERVERS, COLUMNS(servers), .sort = 0,
		.rising = true, .down = OW_SCREEN_OFFERS },
	[OW_SCREEN_QUEUES] = {
		.name = "queues", .title = "Queues",
		.about = "waiting requests: how many, since when; full queues",
		.empty = "no service has a queue",
		.source = OW_FROM_SERVICES, COLUMNS(queues), .sort = 1,
		.down = OW_SCREEN_OFFERS },
	[OW_SCREEN_CLIENTS] = {
		.name = "clients", .title = "Clients",
		.about = "contexts that call, with their results",
		.empty = "no client has joined",
		.source = OW_FROM_CLIENTS, COLUMNS(clients), .sort = 4,
		.down = OW_SCREEN_CLIENTS },
	[OW_SCREEN_EVENTS] = {
		.name = "events", .title = "Events",
		.about = "events of ndrxd with their reasons, newest first",
		.empty = "ndrxd has done nothing here",
		.source = OW_FROM_EVENTS, COLUMNS(events), .sort = 1,
		.rising = true, .down = OW_SCREEN_EVENTS },
	[OW_SCREEN_WAKEUPS] = {
		.name = "wake-ups", .title = "Wake-ups",
		.about = "servers woken per call: 1 is best",
		.empty = "no service is offered",
		.source = OW_FROM_SERVICES, COLUMNS(wakeups), .sort = 1,
		.down = OW_SCREEN_OFFERS },
	[OW_SCREEN_TRANS] = {
		.name = "transactions", .title = "Trans",
		.about = "transactions that have not ended",
		.empty = "no transaction is under way",
		.source = OW_FROM_TRANS, COLUMNS(trans), .sort = 2,
		.down = OW_SCREEN_TRANS },
	[OW_SCREEN_DURABLE] = {
		.name = "durable", .title = "Durable",
		.about = "durable queues: messages, consumers, failures",
		.empty = "no queue space is open",
		.source = OW_FROM_DURABLE, COLUMNS(durable), .sort = 3,
		.down = OW_SCREEN_DURABLE },
	[OW_SCREEN_NODES] = {
		.name = "nodes", .title = "Nodes",
		.about = "links to other nodes of the cluster",
		.empty = "no bridge here knows another node",
		.source = OW_FROM_LINKS, COLUMNS(nodes), .sort = 0,
		.rising = true, .down = OW_SCREEN_NODES },
	[OW_SCREEN_CALLS] = {
		.name = "calls", .title = "Calls",
		.about = "requests that wait or are served now, and why",
		.empty = "no request is under way",
		.source = OW_FROM_CALLS, COLUMNS(calls), .sort = 2,
		.down = OW_SCREEN_CALLS },
	[OW_SCREEN_HTTP] = {
		.name = "http", .title = "HTTP",
		.about = "routes of the gates for HTTP: calls, times, errors",
		.empty = "no gate for HTTP runs",
		.source = OW_FROM_ROUTES, COLUMNS(http), .sort = 3,
		.down = OW_SCREEN_HTTP },
	[OW_SCREEN_OFFERS] = {
		.name = "offers", .title = "Offers",
		.about = "the servers of a service, the services of a "
			 "server",
		.empty = "no server offers it now",
		.source = OW_FROM_OFFERS, COLUMNS(offers), .sort = 5,
		.down = OW_SCREEN_OFFERS },
};

const struct ow_screen *ow_screen(enum ow_screen_id id)
{
	return &screens[id];
}

enum ow_screen_id ow_screen_find(const char *name)
{
	int i;

	for (i = 0; i < OW_SCREEN_END; i++)
		if (*name != '\0' &&
		    strncasecmp(screens[i].name, name, strlen(name)) == 0)
			return (enum ow_screen_id)i;
	return OW_SCREEN_END;
}

int ow_screen_column(const struct ow_screen *s, const char *title)
{
	int i;

	for (i = 0; i < s->n_columns; i++)
		if (strcasecmp(s->columns[i].title, title) == 0)
			return i;
	return -1;
}

double ow_column_number(const struct ow_column *c, const struct ow_row *row)
{
	double n;

	if (c->format == OW_FMT_TEXT)
		return NAN;
	if (c->format == OW_FMT_SPARK)
		return ((const struct ow_service_row *)row)->depth_max;
	memcpy(&n, (const char *)row + c->at, sizeof(n));
	return n;
}

const char *ow_column_text(const struct ow_column *c, const struct ow_row *row)
{
	return c->format == OW_FMT_TEXT ? (const char *)row + c->at : "";
}

enum ow_grade ow_column_grade(const struct ow_column *c,
			      const struct ow_row *row)
{
	double n = ow_column_number(c, row);

	if (c->bad > 0 && n >= c->bad)
		return OW_GRADE_BAD;
	return c->look > 0 && n >= c->look ? OW_GRADE_LOOK : OW_GRADE_CALM;
}

/* Does a text of the row, or a number that is shown in full, contain it? */
static bool has_word(const struct ow_screen *s, const struct ow_row *row,
		     const char *word)
{
	const struct ow_column *c;
	char number[32];

	for (c = s->columns; c < s->columns + s->n_columns; c++) {
		if (c->format == OW_FMT_TEXT &&
		    strcasestr(ow_column_text(c, row), word) != NULL)
			return true;
		if (c->format != OW_FMT_ID || isnan(ow_column_number(c, row)))
			continue;
		snprintf(number, sizeof(number), "%.0f",
			 ow_column_number(c, row));
		if (strstr(number, word) != NULL)
			return true;
	}
	return false;
}

bool ow_row_has_words(const struct ow_screen *s, const struct ow_row *row,
		      const char *words)
{
	char word[256];
	size_t len;

	for (words += strspn(words, " \t"); *words != '\0';
	     words += len + strspn(words + len, " \t")) {
		len = strcspn(words, " \t");
		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		if (len >= sizeof(word) || !has_word(s, row, word))
			return false;
	}
	return true;
}
