/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.h - which bundles this thread has, and changing them
 *
 * Of each part (state.h) a thread has that of a bundle, or one of its own
 * (implicit: made by the first call; nobody has a handle of it). A bundle that
 * the thread gives up rests until a thread takes it again. What is implicit
 * ends when something else takes its place, with one exception: the context
 * with which a thread serves. It waits, and ow_context_return() brings it back
 * when the service is over.
 *
 * Calls of the object API put what the thread has aside, as a stack, and bring
 * it back afterwards (object.h).
 *
 * When a thread ends, its bundles end (auto_destroy) or rest.
 */
#ifndef OW_SWITCH_H
#define OW_SWITCH_H

#include <stdbool.h>

#include "libatmi/base/tls.h"
#include "libatmi/context/bundle.h"

struct ow_aside;

/* What bundles a thread has; made when it first has one. */
struct ow_held {
	struct ow_bundle *part[OW_PARTS]; /* NULL: the thread's own */
	struct ow_aside *aside; /* the stack */
	struct ow_aside *spare; /* memory for its next entry */
};

/* What this thread has; NULL: never a bundle yet. For the fast path. */
extern OW_TLS_FAST struct ow_held *ow_held;
/* The same, made if need be; NULL: no memory, or the thread runs a handler of
 * unsolicited messages, which has no context. */
struct ow_held *ow_held_need(void);

/* Let go what this thread has of these parts (bits). */
void ow_held_vacate(struct ow_held *h, unsigned int parts);
/* Put parts of a taken bundle on this thread, which has nothing of them. */
void ow_held_put(struct ow_held *h, struct ow_bundle *b, unsigned int parts);
/* Move a part from this thread to the bundle that takes it over. The bundle
 * that had it is released if that was its last part. */
void ow_held_take(struct ow_held *h, struct ow_bundle *b,
		  enum ow_state_part part);
/* The parts (bits) that the thread has of `b`. */
unsigned int ow_held_of(const struct ow_held *h, const struct ow_bundle *b);

/* Put all parts aside: 0, or -ENOMEM. Bring them back; what has come in their
 * place is let go. */
int ow_held_push(struct ow_held *h);
void ow_held_pop(struct ow_held *h);

/* May this thread have the context in `b`? That of a server belongs to its
 * thread. `b` is taken. */
bool ow_held_may(const struct ow_bundle *b);

#endif
