/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.h - the other bridges, as far as all layers see them
 */
#ifndef OW_BRIDGE_PEERS_H
#define OW_BRIDGE_PEERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/subs/interest.h"
#include "servers/bridge/peers/unplaced.h"
#include "servers/bridge/wire/frame.h"
#include "servers/bridge/wire/names.h"
#include "servers/bridge/wire/settings.h"

struct ow_br_allowance;
struct ow_br_call;
struct ow_br_tally;
struct ow_domain;

#define OW_BR_PEERS   1024u
#define OW_BR_BATCH   ((size_t)64 << 10)  /* bytes that are put together */
#define OW_BR_PIECE   ((size_t)256 << 10) /* of a large payload */
#define OW_BR_LEAST   ((size_t)4 << 10) /* that a message must be allowed */
#define OW_BR_USUAL   ((size_t)1 << 20) /* that nats-server allows by default */
#define OW_BR_WINDOW  ((uint64_t)4 << 20) /* credit units under way in a lane */
#define OW_BR_COST    512u		  /* units of a frame beside its bytes */
#define OW_BR_HOLD    8192u		  /* requests held back for one bridge */
#define OW_BR_HOLD_BYTES ((uint64_t)128 << 20) /* and as much set aside */
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
	int32_t tran_log; /* the mark of its log, as it came */
	bool ubf;      /* it carries UBF fields */
	uint64_t place; /* of a request, in their order of coming */
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
	bool is_first; /* of the bridges of its node; the others follow */
	struct ow_br_peer *sibling;
	char subject[96];

	/* ---- peers: the link ---- */
	uint64_t session; /* 0: never heard */
	uint32_t link;	  /* of the link, by us: one more when we give it up */
	uint32_t their_link; /* 0: not known yet */
	bool up;
	uint32_t epoch; /* one more each time that what was under way is lost */
	uint64_t left; /* its session, if it has ended in order; else 0 */
	uint64_t heard_ns, pinged_ns, rtt_ns;
	/* The last PING that it has answered (answers.c): here, and at the
	 * connection that will follow. */
	uint64_t answered_ns, answered_there_ns;
	uint32_t heartbeat_ms;
	bool wants_callers; /* its node has rules about who may call */
	bool wants_waits;   /* it has a call out for long: waits/waits.h */
	bool knows_allow;   /* ALLOW may be said to it */
	struct ow_br_lane_state lane[2];
	/* allowance.h: services whose requests it does not take as they come;
	 * what of these waits beside the lane; a CONFIRM behind some of that. */
	struct ow_br_allowance *allowances;
	uint32_t aside;
	uint64_t aside_bytes, places;
	struct ow_br_out *confirm;
	uint32_t before_confirm; /* of those that wait aside */
	struct ow_br_partial *partial; /* requests from it */
	struct ow_br_partial *saying;  /* messages of conversations from it */
	uint64_t partial_bytes; /* of all payloads that come from it in parts */

	/* ---- directory: what its node offers and wants ---- */
	uint64_t gen, tables;
	uint64_t confirmed; /* generation of ours that it has confirmed */
	uint64_t confirming; /* of its own that we have confirmed last */
	uint64_t interest_gen; /* of `interest`, as it counts; 0: not known */
	struct ow_interest interest; /* events, of its node */
	struct ow_br_names offers;
	struct ow_br_gathering gathering; /* of its offers, not whole yet */

	/* ---- out, in, conversation ---- */
	uint32_t outstanding; /* calls that we wait for */
	uint32_t convs; /* open conversations that it has begun */
	/* in/backlog.h, of the inbound thread: services whose requests are
	 * allowed one by one; units of these that wait */
	uint32_t backlogs;
	uint64_t kept;
	uint64_t held;	   /* units of all requests from it that wait for room */
	uint64_t withheld; /* credit of parts that came when too much did */
	uint64_t calls_out, calls_in, errors, lost;
};

/* The link by which something came, and the id that it had there. */
struct ow_br_origin {
	struct ow_br_peer *peer;
	uint32_t epoch;
	uint64_t id, deadline;
};

/* What the layers above do with what is noticed here. Each may be called on any
 * thread. `lost` collects calls that have ended: answer() follows, without the
 * lock. */
struct ow_br_above {
	void *arg;

	/* ---- lock held ---- */

	/* What was under way with `p` is lost, and what it has said is
	 * forgotten. */
	void (*reset)(void *arg, struct ow_br_peer *p,
		      struct ow_br_call **lost);
	/* Nobody has got batch `number` of requests to `p`. */
	void (*undelivered)(void *arg, struct ow_br_peer *p, uint64_t number,
			    struct ow_br_call **lost);
	/* The last part of request `id` is in batch `number`. */
	void (*sent)(void *arg, uint64_t id, uint64_t number);
	/* Some time has passed. */
	void (*expire)(void *arg, uint64_t now, struct ow_br_call **lost);
	/* Bytes of all that is offered, which some frames ask for. */
	size_t (*offered)(void *arg);
	/* A message of a lane with numbers begins. */
	void (*begin)(void *arg, struct ow_br_peer *p, enum ow_br_lane lane);

	/* ---- no lock ---- */

	/* A frame of it, or of lane CONTROL, that is not about the link. */
	void (*take)(void *arg, struct ow_br_peer *p, enum ow_br_lane lane,
		     const struct ow_br_frame *f, const char *payload);
	void (*end)(void *arg, enum ow_br_lane lane);
	void (*answer)(void *arg, struct ow_br_call *lost);
	/* A heartbeat is to be sent: what it says of offers. */
	void (*heartbeat)(void *arg, struct ow_br_frame *f,
			  struct ow_br_heartbeat *heartbeat);
	/* One has come, and the peer is not leaving; the link has taken its
	 * part of it. */
	void (*heard)(void *arg, struct ow_br_peer *p,
		      const struct ow_br_frame *f,
		      const struct ow_br_heartbeat *heartbeat);
	/* By the clock: each step; and when all is to be told anew. */
	void (*step)(void *arg);
	void (*refresh)(void *arg);
};

/* The layer. Its lock guards it and all its peers; it is the first one that a
 * thread takes (bridge.h has the order), and is never held while something is
 * sent or answered. */
struct ow_br_peers {
	pthread_mutex_t lock;
	struct ow_br_options opt; /* does not change */
	struct ow_domain *dom;	  /* NULL: a test */
	const struct ow_br_above *above;
	struct ow_br_carrier carrier;
	uint32_t id;	  /* of this bridge in its node: the server id */
	struct ow_br_who who; /* does not change; domain 0: a test */
	struct ow_br_seat *seats; /* twins.c */
	uint64_t session; /* of this connection */
	bool connected;
	_Atomic bool ended;
	bool flushing, again;
	bool paused; /* requests and replies wait: the connection changes */
	char *batch; /* of the thread that is flushing */
	size_t batch_size;
	size_t limit; /* of a message: `batch_size`, or what NATS takes */
	size_t largest; /* message that NATS takes */
	struct ow_br_peer *peer[OW_BR_PEERS];
	uint32_t npeers;
	struct ow_br_tally *tallies; /* budget.h: one of each node */
	uint32_t n_tallies;
	uint64_t partial_bytes;
	struct ow_br_unplaced unplaced; /* requests from all of them */
	_Atomic uint64_t garbage;
	_Atomic bool callers_wanted; /* by some bridge, once */
};

static inline bool ow_br_is_same_link(const struct ow_br_origin *a,
				      const struct ow_br_origin *z)
{
	return a->peer == z->peer && a->epoch == z->epoch;
}

/* Is the link still the one by which it came? Lock held. */
static inline bool ow_br_is_wanted(const struct ow_br_origin *from)
{
	return from->peer->up && from->peer->epoch == from->epoch;
}

#endif
