/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk_own.h - what the files talk_*.c share
 *
 * talk_news.c	what the delivery thread does
 * talk_thread.c	the thread: its loop, its table
 * talk_begin.c	a conversation begins, here or at another node
 * talk_relay.c	messages pass through, both ways
 * talk_end.c	it ends, for whatever reason
 */
#ifndef OW_BRIDGE_TALK_OWN_H
#define OW_BRIDGE_TALK_OWN_H

#include "servers/bridge/admit.h"
#include "servers/bridge/bell.h"
#include "servers/bridge/bridge.h"

/* What another bridge has said, whole. */
struct ow_br_said {
	struct ow_br_said *next;
	struct ow_br_origin from;
	uint64_t cost; /* credit units, given back when it was heard */
	enum ow_br_lane lane;
	struct ow_br_caller caller; /* CONNECT */
	struct ow_br_call *call;    /* ACCEPT: of this conversation; owned */
	struct ow_envelope kept; /* as a message that found no room; head NULL:
				    it was not tried yet */
	struct ow_br_frame frame;
	char payload[];
};

struct ow_br_talk_key {
	struct ow_br_peer *peer;
	uint64_t id;
	uint64_t own; /* 1: a program of this node began it, the id is ours */
};

enum ow_br_talk_over {
	OW_BR_TALK_GOES_ON,
	OW_BR_TALK_ENDED, /* END */
	OW_BR_TALK_REPLY, /* `final` is it */
	OW_BR_TALK_LOST,  /* the link was lost */
};

/* The end of a conversation in this domain, and its link. */
struct ow_br_talk {
	UT_hash_handle hh;
	struct ow_br_talk_key key;
	struct ow_br_origin link;
	struct ow_talk *end;
	uint64_t number; /* own: of the request that was handed on */
	bool accepted;	 /* not own: the other bridge knows */
	uint32_t relayed; /* how many were fetched here: it was told */
	uint32_t arrived; /* messages with data from the other bridge */
	struct ow_br_said *first, **last; /* of them, not yet sent on */
	uint64_t bytes;
	enum ow_br_talk_over over; /* by the other bridge */
	struct ow_br_said *final;
};

struct ow_br_talks {
	struct ow_bridge *b;
	/* of the delivery thread: from the message in hand */
	struct {
		struct ow_br_said *first, **last;
		struct ow_br_origin from;
	} arriving;
	/* under the lock of the bridge */
	struct ow_br_said *news, **last;
	bool started, joinable; /* the thread */
	bool asleep, ready;
	bool check; /* a link was lost */
	struct ow_br_bell bell;
	pthread_t thread;
	/* of the thread */
	struct ow_ctx *c;
	struct ow_br_talk *table;
	struct ow_br_talk *at[OW_TALK_MAX]; /* by descriptor */
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

/* ---- talk_news.c ---- */

/* Free it, and what it owns. */
void ow_br_said_free(struct ow_br_said *s);
/* It belongs to no conversation: tell the other bridge that it is over, if that
 * may not know. */
void ow_br_talk_refuse(struct ow_br_talks *t, const struct ow_br_said *s);
/* The thread could not begin: nobody will hear `list`, which is freed. */
void ow_br_talks_refuse_all(struct ow_br_talks *t, struct ow_br_said *list);

/* ---- talk_thread.c ---- */

void *ow_br_talks_run(void *talks);

/* ---- talk_begin.c; the thread ---- */

/* Another node begins one: 0, `s` is done; -EAGAIN, the queue is full. */
int ow_br_talk_connect(struct ow_br_talks *t, struct ow_br_said *s);
/* Another node has accepted one of ours; s->call is freed. */
void ow_br_talk_open(struct ow_br_talks *t, struct ow_br_said *s);

/* ---- talk_relay.c; the thread ---- */

/* An item for the link; NULL: no memory. */
struct ow_br_out *ow_br_talk_out(const struct ow_br_talk *k,
				 enum ow_br_kind kind, size_t len);
/* Send it, which is taken, if the link is still the one. */
void ow_br_talk_send(struct ow_br_talks *t, const struct ow_br_origin *link,
		     struct ow_br_out *o);
/* Say something without data. */
void ow_br_talk_say(struct ow_br_talks *t, const struct ow_br_talk *k,
		    enum ow_talk_op op);
/* What a frame carries, as content of a message. */
void ow_br_talk_content(struct ow_br_said *s, struct ow_content *ret);
/* The other bridge has said `s`. True: the conversation keeps it. */
bool ow_br_talk_hear(struct ow_br_talks *t, struct ow_br_talk *k,
		     struct ow_br_said *s);
/* Pass on what can be; the conversation may be over and gone. */
void ow_br_talk_step(struct ow_br_talks *t, struct ow_br_talk *k);

/* ---- talk_end.c; the thread. Each frees the conversation. ---- */

/* The program of this node has left, or its service has returned. */
void ow_br_talk_left(struct ow_br_talks *t, struct ow_br_talk *k);
/* The other bridge has said so (k->over), and all that came before is sent. */
void ow_br_talk_close(struct ow_br_talks *t, struct ow_br_talk *k);
/* It cannot go on: both ends are told. */
void ow_br_talk_fail(struct ow_br_talks *t, struct ow_br_talk *k,
		     const char *why);
/* Forget it, without a word. */
void ow_br_talk_forget(struct ow_br_talks *t, struct ow_br_talk *k);
/* Answer the request of one of ours; `s` NULL: with `tperr`, -1: it need not be
 * told. */
void ow_br_talk_answer(uint64_t number, int tperr, struct ow_br_said *s);

#endif
