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
 *   clock	 beats, silence, time-outs (clock.c)
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

#include "bridge/frame.h"
#include "bridge/names.h"
#include "bridge/options.h"

struct ow_nodes_picture;
struct ow_br_inbound;

#define OW_BR_PEERS   1024u
#define OW_BR_BATCH   ((size_t)64 << 10)  /* bytes that are put together */
#define OW_BR_PIECE   ((size_t)256 << 10) /* of a large payload */
#define OW_BR_LEAST   ((size_t)4 << 10) /* that a message must be allowed */
#define OW_BR_WINDOW  ((uint64_t)4 << 20) /* credit units under way in a lane */
#define OW_BR_COST    512u		  /* units of a frame beside its bytes */
#define OW_BR_HOLD    8192u		  /* requests held back for one bridge */
#define OW_BR_HOLD_BYTES ((uint64_t)128 << 20)
#define OW_BR_PARTIAL ((uint64_t)256 << 20) /* of payloads that come in parts */

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
	char payload[];
};

struct ow_br_lane_state {
	struct ow_br_out *first, **last;
	uint32_t waiting;
	uint64_t waiting_bytes;
	uint64_t sent_number, got_number; /* of batches */
	uint64_t sent, acked; /* credit units: ours, taken by the other end */
	uint64_t taken, told; /* theirs, taken here; the other end was told */
};

/* A payload that comes in parts. */
struct ow_br_partial {
	struct ow_br_partial *next;
	struct ow_br_frame frame;
	uint64_t have;
	char payload[];
};

/* Another bridge, of another node. Never freed. */
struct ow_br_peer {
	uint32_t node, bridge;
	uint64_t session; /* 0: never heard */
	uint32_t link;	  /* of the link, by us: one more when we give it up */
	uint32_t their_link; /* 0: not known yet */
	bool up;
	bool behind; /* has been asked for all its offers */
	uint64_t left; /* its session, if it has ended in order; else 0 */
	uint64_t heard_ns, pinged_ns, rtt_ns;
	uint64_t gen, tables;
	uint32_t beat_ms;
	uint32_t outstanding; /* calls that we wait for */
	struct ow_br_names offers;
	struct ow_br_lane_state lane[2];
	struct ow_br_partial *partial; /* requests from it */
	uint64_t calls_out, calls_in, errors, lost;
	char subject[96];
};

/* A call of this node that another one serves. */
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
	int tperr;		       /* there */
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
	char *batch; /* of the thread that is flushing */
	size_t batch_size;
	size_t room; /* of a message: `batch_size`, or what NATS takes */
	struct ow_br_peer *peer[OW_BR_PEERS];
	uint32_t npeers;
	struct ow_br_call *calls;
	uint64_t last_id;
	uint64_t partial_bytes;
	uint32_t turn; /* spreads calls over equals */
	size_t gathered; /* of the main thread: bytes it has not flushed */
	/* offers.c */
	struct ow_br_names own; /* that we offer to others */
	struct ow_br_names local; /* that servers of this node offer */
	struct ow_br_names wanted, shown; /* of others: to be, and advertised */
	uint64_t gen, tables;
	int changed_fd; /* eventfd: `wanted` has changed */
	struct ow_br_inbound *inbound;
	struct ow_nodes_picture *nodes; /* for listings; NULL: none */
	_Atomic uint64_t garbage;
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
/* The bridge `bridge` of `node`, made if need be; NULL: too many. */
struct ow_br_peer *ow_br_peer_need(struct ow_bridge *b, uint32_t node,
				   uint32_t bridge);
/* A message, and one that nobody has got. */
void ow_br_message(void *arg, const char *subject, const void *data,
		   size_t len);
void ow_br_undelivered(void *arg, const char *subject);
void ow_br_up(void *arg);
void ow_br_down(void *arg);

/* ---- send.c ---- */

/* Put a request or reply behind those that wait; `o` is taken. Lock held. */
void ow_br_queue(struct ow_br_peer *p, enum ow_br_lane lane,
		 struct ow_br_out *o);
/* Is there no credit for more? Lock held. */
bool ow_br_is_held(const struct ow_br_peer *p, enum ow_br_lane lane);
/* Send what waits and has credit; another thread may do it. No lock. */
void ow_br_flush(struct ow_bridge *b);
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
/* Forget calls whose deadline has passed: their callers know. Lock held. */
void ow_br_calls_expire(struct ow_bridge *b, uint64_t now);
/* Collect one part: the whole when it is complete, which the caller frees;
 * NULL: not yet, or it was dropped. Lock held. */
struct ow_br_partial *ow_br_collect(struct ow_bridge *b,
				    struct ow_br_partial **list,
				    const struct ow_br_frame *f,
				    const char *payload);
void ow_br_partial_free(struct ow_bridge *b, struct ow_br_partial *p);

/* ---- offers.c ---- */

/* Look at what servers of this node offer; tell others of changes. */
void ow_br_offers_look(struct ow_bridge *b);
/* What others offer has changed. Lock held. */
void ow_br_offers_changed(struct ow_bridge *b);
/* Tell all offers, to `p` or all. */
void ow_br_offers_tell(struct ow_bridge *b, const struct ow_br_peer *p);
/* In the main thread: advertise what others offer. */
int ow_br_offers_show(struct ow_bridge *b);
/* Hash of the field tables of this process. */
uint64_t ow_br_tables_hash(void);

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

/* ---- abroad.c ---- */

/* The service function of all services that others offer. */
struct ow_bridge *ow_br_self(void);
void ow_br_set_self(struct ow_bridge *b);

/* ---- report.c ---- */

/* Write what listings show. */
void ow_br_report(struct ow_bridge *b);

#endif
