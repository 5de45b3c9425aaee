/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversations.h - conversations with programs of other nodes, from inside
 *
 * The lowest file first:
 * said.c	what bridges say of them to each other
 * end.c	one ends, for whatever reason
 * relay.c	messages pass through, both ways
 * begin.c	one begins, here or at another node
 * thread.c	the thread: its loop, its table
 * arrive.c	what the delivery thread does
 */
#ifndef OW_BRIDGE_CONVERSATIONS_H
#define OW_BRIDGE_CONVERSATIONS_H

#include "libatmi/transport/envelope.h"
#include "servers/bridge/in/authorize.h"
#include "servers/bridge/in/wakeup.h"
#include "servers/bridge/out/calls.h"

/* What another bridge has said, whole. */
struct ow_br_said {
	struct ow_br_said *next;
	struct ow_br_origin from;
	uint64_t cost; /* credit units, given back when it was heard */
	enum ow_br_lane lane;
	struct ow_br_caller caller; /* CONNECT */
	/* CONNECT: that of its bridge, and its half; NULL: another frame */
	struct ow_br_unplaced *unplaced;
	uint32_t half;
	struct ow_br_call *call;    /* ACCEPT: of this conversation; owned */
	struct ow_envelope kept; /* as a message that found no room; head NULL:
				    it was not tried yet */
	struct ow_br_frame frame;
	char payload[];
};

struct ow_br_conv_key {
	struct ow_br_peer *peer;
	uint64_t id;
	uint64_t own; /* 1: a program of this node began it, the id is ours */
};

enum ow_br_conv_over {
	OW_BR_CONV_GOES_ON,
	OW_BR_CONV_ENDED, /* END */
	OW_BR_CONV_REPLY, /* `final` is it */
	OW_BR_CONV_LOST,  /* the link was lost */
};

/* The end of a conversation in this domain, and its link. */
struct ow_br_conv {
	UT_hash_handle hh;
	struct ow_br_conv_key key;
	struct ow_br_origin link;
	struct ow_conv *end;
	uint64_t number; /* own: of the request that was handed on */
	bool accepted;	 /* not own: the other bridge knows */
	uint32_t relayed; /* how many were fetched here: it was told */
	uint32_t arrived; /* messages with data from the other bridge */
	struct ow_br_said *first, **last; /* of them, not yet sent on */
	uint64_t bytes;
	enum ow_br_conv_over over; /* by the other bridge */
	struct ow_br_said *final;
};

struct ow_br_convs {
	struct ow_br_peers *peers;
	struct ow_br_directory *dir;
	struct ow_br_calls *calls;
	/* of the delivery thread: from the message in hand */
	struct {
		struct ow_br_said *first, **last;
		struct ow_br_origin from;
	} arriving;
	/* With it, the last lock that a thread takes: */
	pthread_mutex_t lock;
	struct ow_br_said *arrived, **last;
	bool started, joinable; /* the thread */
	bool asleep, ready;
	bool busy; /* some are open, or wait to begin, as it fell asleep */
	bool check; /* a link was lost */
	struct ow_br_wakeup wakeup;
	pthread_t thread;
	/* of the thread */
	struct ow_ctx *c;
	struct ow_br_conv *table;
	struct ow_br_conv *at[OW_CONV_MAX]; /* by descriptor */
	struct ow_br_said *pending; /* CONNECT, whose service's queue is full */
	uint64_t retry_ns; /* of those: not before */
	struct ow_br_door door;
	int turn;	   /* whose messages go first */
	int looked;	   /* whose other end is looked at next */
	uint64_t look_ns;
	int hungry;	   /* its program has no room; -1: none */
	bool held;	   /* something waits for a link, or for a moment */
	bool flush;	   /* something is to be sent */
	struct ow_br_peer *settling; /* whose credit was given last */
};

#endif
