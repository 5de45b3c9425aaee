/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.h - what a bridge knows: itself, the other bridges, calls between them
 *
 * One lock guards all of it. It is never held while something is sent or
 * answered. Threads of the process:
 *   main	 the loop of a server; service abroad() (abroad.c) sends requests,
 *		 offers.c advertises what others offer
 *   delivery	 of libnats: link.c takes messages, calls.c answers callers
 *   inbound	 the caller of requests from other nodes (inbound.c)
 *   talks	 the ends of conversations (talk.h)
 *   tran	 some, which ask tmsrv for requests in transactions (tran.c)
 *   clock	 beats, silence, time-outs (clock.c)
 *   renewal	 certificates that have changed (renew.c, way.c)
 * doc/design/cluster.md has the protocol and what each crash means.
 */
#ifndef OW_BRIDGE_H
#define OW_BRIDGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "servers/bridge/frame.h"
#include "servers/bridge/names.h"
#include "servers/bridge/options.h"
#include "libatmi/converse/talk.h"
#include "libatmi/subs/interest.h"

struct ow_nodes_picture;
struct ow_br_inbound;
struct ow_br_talks;
struct ow_br_tran;
struct ow_ctx;
struct ow_msg;
struct ow_request;

#define OW_BR_PEERS   1024u
#define OW_BR_BATCH   ((size_t)64 << 10)  /* bytes that are put together */
#define OW_BR_PIECE   ((size_t)256 << 10) /* of a large payload */
#define OW_BR_LEAST   ((size_t)4 << 10) /* that a message must be allowed */
#define OW_BR_USUAL   ((size_t)1 << 20) /* that nats-server allows by default */
#define OW_BR_WINDOW  ((uint64_t)4 << 20) /* credit units under way in a lane */
#define OW_BR_COST    512u		  /* units of a frame beside its bytes */
#define OW_BR_HOLD    8192u		  /* requests held back for one bridge */
#define OW_BR_HOLD_BYTES ((uint64_t)128 << 20)
/* Of payloads that come in parts: from one node, and from all. */
#define OW_BR_PARTIAL	  ((uint64_t)256 << 20)
#define OW_BR_PARTIAL_ALL ((uint64_t)1 << 30)

/* Where messages go: NATS, or a test. */
struct ow_br_carrier {
	void *arg;
	int (*send)(void *arg, const char *subject, const char *reply,
		    const void *data, size_t len);
	size_t (*largest)(void *arg);
};

/* A request or reply that waits to be sent. */
struct ow_br_out {
	struct ow_br_out *next;
	struct ow_br_frame frame; /* of the whole; `offset`: sent so far */
	uint64_t deadline;
	struct ow_br_caller caller; /* of a request; no login: not known */
	uint32_t node; /* that it goes to; 0: one that offers the service */
	uint64_t tran; /* of this node, to be doomed if it gets lost; 0: none */
	bool ubf;      /* it carries UBF fields */
	char payload[];
};

struct ow_br_lane_state {
	struct ow_br_out *first, **last;
	uint32_t waiting;
	uint64_t waiting_bytes;
	uint64_t sent_number, got_number; /* of batches */
	uint64_t sent, acked; /* credit units: ours, taken by the other end */
	uint64_t came; /* theirs: received, and enforced (budget.h) */
	uint64_t taken, told; /* of these taken here; the other end was told */
};

/* A payload that comes in parts. */
struct ow_br_partial {
	struct ow_br_partial *next;
	struct ow_br_peer *from;
	struct ow_br_frame frame;
	uint64_t have;
	struct ow_br_caller caller;
	char payload[];
};

/* Another bridge, of another node. Never freed; the row of one that is silent
 * for long can become another one's. */
struct ow_br_peer {
	uint32_t node, bridge;
	uint64_t session; /* 0: never heard */
	uint32_t link;	  /* of the link, by us: one more when we give it up */
	uint32_t their_link; /* 0: not known yet */
	bool up;
	uint32_t epoch; /* one more each time that what was under way is lost */
	uint32_t talks; /* open conversations that it has begun */
	bool behind; /* has been asked for all its offers */
	bool wants_callers; /* its node has rules about who may call */
	bool knows_parts; /* of news */
	uint64_t left; /* its session, if it has ended in order; else 0 */
	uint64_t heard_ns, pinged_ns, rtt_ns;
	/* The last PING that it has answered (way.c): here, and at the
	 * connection that will follow. */
	uint64_t answered_ns, answered_there_ns;
	uint64_t gen, tables;
	uint32_t beat_ms;
	uint32_t outstanding; /* calls that we wait for */
	uint32_t knows; /* OW_BR_KNOWS_... */
	bool is_first; /* of the bridges of its node; the others follow */
	struct ow_br_peer *sibling;
	uint64_t wants_gen; /* of `wants`, as it counts; 0: not known */
	struct ow_interest wants; /* events, of its node */
	struct ow_br_names offers;
	struct ow_br_gathering gathering; /* of its offers, not whole yet */
	struct ow_br_lane_state lane[2];
	struct ow_br_partial *partial; /* requests from it */
	struct ow_br_partial *saying;  /* messages of conversations from it */
	uint64_t partial_bytes; /* of all payloads that come from it in parts */
	uint64_t calls_out, calls_in, errors, lost;
	char subject[96];
};

/* The link by which something came, and the id that it had there. */
struct ow_br_origin {
	struct ow_br_peer *peer;
	uint32_t epoch;
	uint64_t id, deadline;
};

/* A call of this node that another one serves; also a conversation that is not
 * accepted yet. */
struct ow_br_call {
	UT_hash_handle hh;
	uint64_t id;
	uint64_t number; /* handed.h */
	struct ow_br_peer *peer;
	uint64_t deadline;
	uint64_t begun_ns;
	uint64_t batch; /* that its last part went in; 0: not yet sent whole */
	struct ow_br_partial *partial; /* its reply */
	struct ow_br_call *next;       /* in a list of calls that have ended */
	uint64_t tran;		       /* as in ow_br_out */
	int tperr;		       /* there */
	/* CONNECT: the end of the program that connects; seq 0: a call */
	struct ow_talk_far far;
	uint32_t svc;
};

struct ow_bridge {
	pthread_mutex_t lock;
	struct ow_br_options opt;
	struct ow_br_carrier carrier;
	struct ow_domain *dom;
	uint32_t id;	  /* of this bridge in its node: the server id */
	uint64_t session; /* of this connection */
	bool connected, ended;
	bool flushing, again;
	bool paused; /* requests and replies wait: the connection changes */
	char *batch; /* of the thread that is flushing */
	size_t batch_size;
	size_t room; /* of a message: `batch_size`, or what NATS takes */
	size_t largest; /* message that NATS takes */
	struct ow_br_peer *peer[OW_BR_PEERS];
	uint32_t npeers;
	struct ow_br_tally *tallies; /* budget.h: one of each node */
	uint32_t n_tallies;
	struct ow_br_call *calls;
	uint64_t last_id;
	uint64_t partial_bytes;
	uint32_t turn; /* spreads calls over equals */
	size_t gathered; /* of the main thread: bytes it has not flushed */
	/* offers.c */
	struct ow_br_names own; /* that we offer to others */
	struct ow_br_names local; /* that servers of this node offer */
	struct ow_br_names wanted, shown; /* of others: to be, and advertised */
	uint32_t bridges, rank; /* of this domain; those with lower ids */
	/* All that `wanted` would be, if queues and rows had no limit; empty:
	 * it is. What has neither gets a mark (beyond.c). */
	struct ow_br_names beyond;
	bool marks_due;
	bool unsettled; /* what others offer has changed */
	/* If settled: who offers name `i` of `wanted` is owner[first[i]] to
	 * owner[first[i + 1] - 1]; NULL: no memory. */
	struct ow_br_peer **owner;
	uint32_t *first;
	uint64_t gen, tables;
	int changed_fd; /* eventfd: `wanted` or `wanted_events` has changed */
	/* wants.c */
	uint64_t wants_seen, wants_gen;
	struct ow_interest wants; /* events, of this node */
	struct ow_interest wanted_events; /* of all others */
	struct ow_br_inbound *inbound;
	struct ow_br_talks *talks;
	struct ow_br_tran *tran; /* tran.h; NULL: a test without */
	struct ow_nodes_picture *nodes; /* for listings; NULL: none */
	_Atomic uint64_t garbage;
	_Atomic bool callers_wanted; /* by some bridge, once */
};

/* ---- link.c ---- */

/* Begin anew: no message of the past counts any more. Ends all calls; *ret has
 * them, to be answered without the lock. Lock held. */
void ow_br_session_begin(struct ow_bridge *b, struct ow_br_call **ret);
/* Forget what was under way: a bridge has a new session, or a new link. Lock
 * held. */
void ow_br_peer_reset(struct ow_bridge *b, struct ow_br_peer *p,
		      struct ow_br_call **ret);
/* The same, and tell it so when it is heard again: it is silent, or a message
 * was lost. Lock held. */
void ow_br_peer_give_up(struct ow_bridge *b, struct ow_br_peer *p,
			struct ow_br_call **ret);
/* The bridge `bridge` of `node`, made if need be; NULL: too many, or too many
 * of this node. */
struct ow_br_peer *ow_br_peer_need(struct ow_bridge *b, uint32_t node,
				   uint32_t bridge);
/* Is the link still the one by which it came? Lock held. */
static inline bool ow_br_is_wanted(const struct ow_br_origin *from)
{
	return from->peer->up && from->peer->epoch == from->epoch;
}
/* A message, and one that nobody has got. */
void ow_br_message(void *arg, const char *subject, const void *data,
		   size_t len);
void ow_br_undelivered(void *arg, const char *subject);
/* The node that NATS let publish on this subject; 0: none. */
uint32_t ow_br_node_of(const struct ow_bridge *b, const char *subject);
void ow_br_up(void *arg);
void ow_br_down(void *arg);

/* ---- send.c ---- */

/* Put a request or reply behind those that wait; `o` is taken. Lock held. */
void ow_br_queue(struct ow_br_peer *p, enum ow_br_lane lane,
		 struct ow_br_out *o);
/* Is there no credit for more? Lock held. */
bool ow_br_is_held(const struct ow_br_peer *p, enum ow_br_lane lane);
/* Does so much wait for it that no more may? Lock held. */
bool ow_br_is_full(const struct ow_br_peer *p);
/* Send what waits and has credit; another thread may do it. No lock. */
void ow_br_flush(struct ow_bridge *b);
/* From now on nobody sends requests and replies; and again. No lock. */
void ow_br_pause(struct ow_bridge *b);
void ow_br_resume(struct ow_bridge *b);
/* Say something about the link, to `p` or (NULL) all, at once. No lock;
 * `reply`: learn if nobody listens. */
void ow_br_say(struct ow_bridge *b, const struct ow_br_peer *p,
	       struct ow_br_frame *f, const void *payload, bool reply);
/* The other end is told what was taken here, if that is much. No lock. */
void ow_br_credit(struct ow_bridge *b, struct ow_br_peer *p);
/* An empty item for `len` bytes, NULL: no memory. */
struct ow_br_out *ow_br_out_new(size_t len);
/* Have a batch to compose messages in: 0 or -ENOMEM. */
int ow_br_batch_make(struct ow_bridge *b);
/* Connected: how large may a message be here? Lock held. */
void ow_br_room_look(struct ow_bridge *b);
/* Drop what waits. Lock held. */
void ow_br_lane_clear(struct ow_br_lane_state *l);

/* ---- calls.c ---- */

/* A part of the reply to one of our calls. No lock. */
void ow_br_reply(struct ow_bridge *b, struct ow_br_peer *p,
		 const struct ow_br_frame *f, const char *payload);
/* End the calls that `p` has, as `published` or not; lock held. `batch` not 0:
 * only those that went in this batch, which nobody has got. */
void ow_br_calls_lose(struct ow_bridge *b, const struct ow_br_peer *p,
		      uint64_t batch, struct ow_br_call **ret);
/* Answer calls that have ended, and free them. No lock. */
void ow_br_calls_answer(struct ow_bridge *b, struct ow_br_call *list);
/* Forget calls whose deadline has passed: their callers know. *ret has the
 * conversations, whose requests are to be taken off the record. Lock held. */
void ow_br_calls_expire(struct ow_bridge *b, uint64_t now,
			struct ow_br_call **ret);
/* A conversation is accepted: take it out of the table of calls; NULL: it is not
 * there, as one of `p`, or it is too late. It still counts as outstanding. Lock held. */
struct ow_br_call *ow_br_call_accepted(struct ow_bridge *b,
				       const struct ow_br_peer *p, uint64_t id);
/* Collect one part: the whole when it is complete, which the caller frees;
 * NULL: not yet, or it was dropped. Lock held. */
struct ow_br_partial *ow_br_collect(struct ow_bridge *b,
				    struct ow_br_peer *from,
				    struct ow_br_partial **list,
				    const struct ow_br_frame *f,
				    const char *payload);
/* It is whole, and counts as one that comes no more. Lock held. */
void ow_br_partial_whole(struct ow_bridge *b, const struct ow_br_partial *p);
/* What has come of the same payload; NULL: nothing, or there was no memory.
 * Lock held. */
struct ow_br_partial *ow_br_partial_find(struct ow_br_partial *list,
					 const struct ow_br_frame *f);
void ow_br_partial_free(struct ow_bridge *b, struct ow_br_partial *p);

/* ---- offers.c ---- */

/* Look at what servers of this node offer; tell others of changes. */
void ow_br_offers_look(struct ow_bridge *b);
/* What others offer has changed: ow_br_offers_settle() is due. Lock held. */
void ow_br_offers_changed(struct ow_bridge *b);
/* If it has changed: what is to be advertised? By the clock, once for all
 * changes of a step: with many nodes it takes long. Lock held. */
void ow_br_offers_settle(struct ow_bridge *b);
/* Tell all offers, to `p` or all. */
void ow_br_offers_tell(struct ow_bridge *b, const struct ow_br_peer *p);
/* The name that other nodes know: without the mark of NDRX_LDBAL. */
const char *ow_br_true_name(const char *svc);
/* In the main thread: advertise what others offer. */
int ow_br_offers_show(struct ow_bridge *b);
/* Hash of the field tables of this process. */
uint64_t ow_br_tables_hash(void);

/* ---- beyond.c ---- */

/* On the main thread: mark those of `names` that no server offers; by the first
 * bridge of the domain (`rank` 0), no others. 0; -1: try again later. */
int ow_br_beyond_mark(struct ow_bridge *b, const struct ow_br_names *names,
		      uint32_t rank);

/* ---- clock.c ---- */

void ow_br_beat(struct ow_bridge *b, const struct ow_br_peer *p, bool joining,
		bool leaving);
void *ow_br_clock_run(void *bridge);

/* ---- inbound.c ---- */

int ow_br_inbound_start(struct ow_bridge *b);
/* Wait until its thread has ended; free it when no message comes any more. */
void ow_br_inbound_stop(struct ow_bridge *b);
void ow_br_inbound_free(struct ow_bridge *b);
/* The requests of one message from `p`, on the delivery thread: it begins (lock
 * held); a request, or a part of one; it ends, and the thread has its requests
 * (no lock). */
void ow_br_requests_begin(struct ow_bridge *b, struct ow_br_peer *p);
void ow_br_request(struct ow_bridge *b, const struct ow_br_frame *f,
		   const char *payload);
void ow_br_requests_end(struct ow_bridge *b);

/* A request that was held back by ow_br_tran_check() comes to the thread: as it
 * is (0), or to be refused. No lock. */
void ow_br_request_held(struct ow_bridge *b, void *held, int tperr);

/* ---- request.c ---- */

/* What the context sends for a frame with the whole `payload`, which is not
 * copied. ow_trace_leave() follows when it is sent. */
void ow_br_request_fill(struct ow_ctx *c, const struct ow_br_frame *f,
			char *payload, uint64_t deadline,
			struct ow_request *rq);

/* A frame with the whole `payload` came from `node`: f->svc is the service that
 * takes it. 0, or a tperrno to refuse it with. */
int ow_br_request_name(const struct ow_bridge *b, uint32_t node,
		       struct ow_br_frame *f, char *payload);

/* ---- abroad.c ---- */

/* The bridge to which a call of `svc` goes; NULL: nobody offers it. Lock
 * held. */
struct ow_br_peer *ow_br_choose(struct ow_bridge *b, const char *svc);
/* The service function of all services that others offer. */
struct ow_bridge *ow_br_self(void);
void ow_br_set_self(struct ow_bridge *b);
/* On the main thread: a request with `len` bytes has joined those that wait to
 * be sent. A one-way call, for which nobody waits, goes with those behind it in
 * the queue, up to a batch. Should another bridge take them, the clock sends
 * it. */
void ow_br_send_joined(struct ow_bridge *b, size_t len, bool oneway);
/* In a service function, which then returns: send the request in hand, `m`, as
 * `o`, which is taken, or refuse it. */
void ow_br_send_abroad(struct ow_bridge *b, struct ow_br_out *o,
		       const struct ow_msg *m);
/* On any thread: the same of a request that was handed on as `number`, with
 * `flags`. 0, `o` is taken and ow_br_flush() follows; or a tperrno. */
int ow_br_join_handed(struct ow_bridge *b, struct ow_br_out *o, uint64_t number,
		      uint32_t flags);

/* ---- report.c ---- */

/* Write what listings show. */
void ow_br_report(struct ow_bridge *b);

#endif
