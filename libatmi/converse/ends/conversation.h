/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversation.h - the conversations of a context: descriptors, states, windows
 *
 * Struct ow_conv is one end of a conversation, in the context of a program;
 * the *other* end is on record in it. Both ends receive in the mailbox that
 * their context has anyway. A conversation begins with a request, which names
 * the end of the program that connects, and ends with the reply to that
 * request; between them go messages of kind OW_MSG_CONV.
 * doc/design/conversations.md has the reasons, and what a kill leaves at each
 * step.
 *
 * A message belongs to an end if slot, generation, descriptor and sequence are
 * that end's. The sequence is never used again in its context.
 *
 * Window: a sender has at most OW_CONV_WINDOW messages, and about
 * OW_CONV_BYTES, under way that the other program has not fetched. Each
 * message says how many its sender has fetched so far; a message of its own
 * (OW_CONV_TAKEN) says so when half of the window was fetched since.
 *
 * Of one thread, as the context.
 */
#ifndef OW_CONV_H
#define OW_CONV_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/proc.h"
#include "libatmi/transport/envelope.h"

struct ow_domain;
struct ow_queue;

#define OW_CONV_WINDOW 32u
#define OW_CONV_BYTES  (UINT64_C(1) << 20)
/* A descriptor travels as one more: 0 means that no reply is wanted. */
#define OW_CONV_MAX 16383

enum ow_conv_state {
	OW_CONV_CALLING, /* the request is out, no server has accepted it */
	OW_CONV_OPEN,
	OW_CONV_OVER, /* the program has yet to be told how it has ended */
};

/* Who may send. */
enum ow_conv_turn {
	OW_TURN_EITHER, /* tpconnect() said nothing */
	OW_TURN_OURS,
	OW_TURN_THEIRS,
};

/* The other end. */
struct ow_conv_other {
	uint32_t slot, gen;
	int32_t cd; /* as it travels */
	uint64_t seq;
	ow_proc_id process; /* 0: unknown */
};

struct ow_span;

/* A message that has come and was not fetched. */
struct ow_conv_kept {
	struct ow_conv_kept *next;
	struct ow_envelope e;
};

struct ow_conv {
	enum ow_conv_state state;
	enum ow_conv_turn turn;
	bool began; /* by tpconnect() at this end */
	bool busy;  /* a thread that shares the context waits in it */
	int cd;
	uint64_t seq;
	uint32_t svc;
	uint64_t tran; /* of which both ends take part; 0: none */
	struct ow_conv_other other;
	struct ow_queue *queue; /* of the other end; NULL: not open */
	uint64_t look_ns; /* when to see whether the other end lives */
	uint64_t noted_ns; /* when its wait was noted for onlookers; 0: not */
	uint32_t called; /* 1 + service that tpconnect() waits for, for them; 0:
			    not known */
	/* sent to the other end */
	uint32_t sent, acked;
	uint64_t unacked; /* bytes */
	uint64_t size[OW_CONV_WINDOW]; /* of those not acknowledged */
	/* received from it */
	uint32_t got, taken, told; /* came, fetched, acknowledged */
	uint64_t untold; /* bytes fetched and not acknowledged */
	struct ow_conv_kept *first, *last;
	struct ow_span *span; /* noted when it is dropped; NULL: none */
	/* OVER */
	long event; /* TPEV_... */
	struct ow_envelope end; /* the reply that ended it; head NULL: none */
};

struct ow_convs {
	struct ow_domain *dom;
	uint32_t slot, gen; /* of the context */
	struct ow_conv **conv; /* [n], by descriptor; NULL: free */
	int n, open;
	uint64_t fresh_ns; /* until then the context need not look */
};

/* For the context in a slot; NULL: no memory. */
struct ow_convs *ow_convs_new(struct ow_domain *d, uint32_t slot, uint32_t gen);
/* Close what is left: ow_convs_hang_up() comes before. Accepts NULL. */
void ow_convs_free(struct ow_convs *ts);
/* In a forked child: close the descriptors of queues. Accepts NULL. */
void ow_convs_forked(struct ow_convs *ts);

/* A conversation with the lowest free descriptor: 0, -EMFILE (all are in use),
 * -ENOMEM. */
int ow_conv_new(struct ow_convs *ts, uint64_t seq, struct ow_conv **ret);
/* The conversation with this descriptor, or NULL. */
struct ow_conv *ow_conv_find(const struct ow_convs *ts, int cd);
/* The program hears of the other end no more: forget it, without a word. */
void ow_conv_drop(struct ow_convs *ts, struct ow_conv *t);

/* The other end is `other`, as a request to connect or an acceptance says. */
void ow_conv_meet(struct ow_convs *ts, struct ow_conv *t,
		  const struct ow_conv_other *other);
/* The conversation has ended with `event`. The first end counts. */
void ow_conv_over(struct ow_conv *t, long event);

/* The program has got message `m`. */
void ow_conv_fetched(struct ow_conv *t, const struct ow_msg *m);
/* Keep a message until the program fetches it: 0, or -ENOMEM; then the envelope
 * is unchanged. */
int ow_conv_keep(struct ow_conv *t, struct ow_envelope *e);
/* Free the first message that is kept. */
void ow_conv_shift(struct ow_conv *t);

/* May one more message be sent? */
bool ow_conv_has_room(const struct ow_conv *t);
/* A message of `len` bytes was sent. */
void ow_conv_sent(struct ow_conv *t, uint64_t len);
/* The other program has fetched `taken` messages so far. */
void ow_conv_acknowledged(struct ow_conv *t, uint32_t taken);
/* Is it time to tell how many were fetched? */
bool ow_conv_owes(const struct ow_conv *t);

#endif
