/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the requests that wait or are served now, as an onlooker sees them
 *
 * Nobody is asked and nothing is written. What is read, under which protocol,
 * and what each transport lets an onlooker see: doc/design/observability.md,
 * "Calls in flight". A picture is taken while calls go on: each row was true at
 * one moment of the look, and rows may be of different moments.
 */
#ifndef OW_CALLS_OBSERVED_H
#define OW_CALLS_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/msg.h"
#include "libndrx/observe/calls_rows.h"
#include "libndrx/observe/observer.h"

struct ow_blocks;

struct ow_calls {
	struct ow_observer *view;
	struct ow_blocks *blocks;
	uint64_t now_ns;
	bool queues_seen; /* the transport shows what waits */
	struct ow_calls_row *row; /* by service, then as they will be served */
	size_t n, room;
	int failed; /* -errno: not everything could be seen */
};

/* Look: 0, -errno. `v` outlives the result. */
int ow_calls_look(struct ow_observer *v, struct ow_calls *ret);
void ow_calls_free(struct ow_calls *c);

/* Microseconds since it was sent; until its deadline, negative: it has passed.
 * OW_CALLS_NO_DEADLINE: it has none. */
#define OW_CALLS_NO_DEADLINE INT64_MAX
uint64_t ow_calls_age_us(const struct ow_calls *c,
			 const struct ow_calls_row *row);
int64_t ow_calls_left_us(const struct ow_calls *c,
			 const struct ow_calls_row *row);
/* "waits", "served", "continued", "elsewhere", "unseen". */
const char *ow_calls_state_name(enum ow_calls_state s);

/* ---- contents: calls_contents.c ---- */

enum ow_calls_result {
	OW_CALLS_MOVED = 1, /* it is no longer where it was */
	OW_CALLS_CHANGING,  /* its server writes it */
	OW_CALLS_NOWHERE,   /* its contents are not in shared memory */
	OW_CALLS_LARGE,	    /* more than OW_CALLS_CONTENTS */
	OW_CALLS_DAMAGED,   /* not what its header says */
};
#define OW_CALLS_CONTENTS (UINT64_C(16) << 20)

/* A buffer for contents, used again and again. All zero: empty. */
struct ow_calls_buffer {
	char *data; /* 16-byte aligned; behind the subtype */
	size_t len;
	char subtype[OW_MSG_SUBTYPE_MAX + 1];
	char *twice, *memory;
	size_t room;
};

/* Copy and check the contents: 0; MOVED, CHANGING, NOWHERE, LARGE, DAMAGED;
 * -ENOMEM. A UBF buffer can be used with the functions of ubf.h, for reading. */
int ow_calls_contents(struct ow_calls *c, const struct ow_calls_row *row,
		      struct ow_calls_buffer *b);
void ow_calls_buffer_free(struct ow_calls_buffer *b);

/* ---- why each waits: calls_chain.c, calls_said.c ---- */

/*
 * For row `i`: why it is not finished, in words; the chain of nested calls
 * ends at a server that works, or in a cycle; it goes over nodes as far as these
 * have told. *ret_deadlock: it cannot finish before a time-out, because each
 * server that could serve it waits for another such request. -ENOMEM.
 */
struct ow_calls_chains;
int ow_calls_chains_new(const struct ow_calls *c,
			struct ow_calls_chains **ret);
struct ow_calls_chains *ow_calls_chains_free(struct ow_calls_chains *w);
void ow_calls_why(const struct ow_calls_chains *w, size_t i, char *buf,
		  size_t size, bool *ret_deadlock);

/* For a bridge: of this domain alone; and what it tells other nodes of a
 * request. `id` and `from` of *ret stay. */
struct ow_waits_call;
int ow_calls_chains_here(const struct ow_calls *c,
			 struct ow_calls_chains **ret);
void ow_calls_tell(const struct ow_calls_chains *w,
		   const struct ow_calls_row *row, struct ow_waits_call *ret);

#endif
