/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difference.h - one state of a domain from the one before it, in few bytes
 *
 * Of each kind: the rows that came, changed or went, by the distance of their
 * keys; of a row its fields that changed, numbers as what they grew by. All
 * numbers are of variable length (7 bits a byte). The difference from an empty
 * state is the whole state.
 */
#ifndef OW_BB_DIFFERENCE_H
#define OW_BB_DIFFERENCE_H

#include "libndrx/blackbox/rows.h"

struct ow_bb_bytes {
	unsigned char *p;
	size_t n, room;
	bool failed; /* no memory */
};

void ow_bb_bytes_free(struct ow_bb_bytes *b);
void ow_bb_put_number(struct ow_bb_bytes *b, uint64_t n);
void ow_bb_put_bytes(struct ow_bb_bytes *b, const void *p, size_t n);

/* What is left to read. A reader that has failed gives zeros. */
struct ow_bb_rest {
	const unsigned char *p, *end;
	bool failed;
};

uint64_t ow_bb_get_number(struct ow_bb_rest *r);
/* `n` bytes, valid as long as those of the reader; NULL: so many are not
 * there. */
const void *ow_bb_get_bytes(struct ow_bb_rest *r, size_t n);

/* Append what makes `now` of `before`. Times are relative to now->now_ns. */
void ow_bb_differ(struct ow_bb_bytes *b, const struct ow_bb_state *before,
		  const struct ow_bb_state *now);
/* Make *s, whose times are set, the next state: 0; -EBADMSG: the bytes are not
 * a difference from *s, which is of no use then; -ENOMEM. */
int ow_bb_apply(struct ow_bb_state *s, struct ow_bb_rest *r);

/* Let `now` keep the details of `before`: of rows of the same process. */
void ow_bb_hold_back(const struct ow_bb_state *before, struct ow_bb_state *now);

#endif
