/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.h - the callers of tmqueue: are they there, and their answers
 */
#ifndef OW_TMQUEUE_CALLER_H
#define OW_TMQUEUE_CALLER_H

#include <stdbool.h>
#include <xatmi.h>

#include "servers/tmqueue/job.h"

struct ow_domain;

/* In the main thread, in a service: a job of this request; NULL with the
 * tperrno for the caller. */
struct job *caller_job(const struct ow_domain *dom, const TPSVCINFO *svc,
		       int *ret_tperr);
/* The same of a one-way call that is to be stored (wire/stored.h). */
struct job *caller_stored_job(const TPSVCINFO *svc, int *ret_tperr);
/* Hand the request on: 0, or the tperrno for the caller. */
int caller_hand_on(struct job *j);
/* The answer to a request for a branch (PREPARE to BEGIN) that is not handed on:
 * nothing was done, which an error of the call would leave open. NULL: it is none,
 * or no memory. */
char *caller_refusal(const TPSVCINFO *svc, int tperr, long *ret_len);

bool caller_is_there(const struct ow_domain *dom, const struct job *j,
		     bool surely);
/* Of the engine's thread. True: sent. */
bool caller_answer(struct job *j);

#endif
