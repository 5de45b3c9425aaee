/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - what a thread has of this library: its last error and its Bnext()
 *
 * Taken off one thread and put on another with its context
 * (libatmi/context/state.h).
 */
#ifndef OW_UBF_STATE_H
#define OW_UBF_STATE_H

#include <ubf.h>

#include "libubf/base/error.h"

struct ow_ubf_state {
	struct ow_ubf_err err;
	UBFH *next_of;	  /* Bnext(): its buffer and rank, a hint that it */
	size_t next_rank; /* checks */
	char detail[OW_UBF_DETAIL_MAX]; /* of an error that is not lazy */
};

/* The iteration of this thread's Bnext(). */
Bnext_state_t *ow_ubf_next_state(void);

/* Move the thread's state to *s; it has no error then, and no iteration. */
void ow_ubf_state_take(struct ow_ubf_state *s);
/* Make *s the state of the thread. */
void ow_ubf_state_put(const struct ow_ubf_state *s);
/* Fail with BEINVAL and a text, for functions of the object API. */
void ow_ubf_state_refuse(const char *why);

#endif
