/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - services of the runtime's own servers
 *
 * Their names begin with @ or a dot, which tpadvertise() refuses: no application
 * takes one. A server that answers in batches learns whether each answer was
 * sent.
 */
#ifndef OW_OWN_SERVICE_H
#define OW_OWN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

/* On the main thread: offer service `svc`, whose function is called the same
 * without its first character. 0, or -1 with tperrno. */
int ow_advertise_own(const char *svc, void (*p_func)(TPSVCINFO *));

/* The same in tpsvrinit(), of a service that one server alone may offer: if another
 * one does so when this one is about to, or is expected to do so again, this one
 * does not start. */
int ow_advertise_alone(const char *svc, void (*p_func)(TPSVCINFO *));

/*
 * Answer the request that was handed on with these context data
 * (tpsrvgetctxdata2()), on any thread: TPSUCCESS with `data`, which is freed. 0;
 * 1: nobody gets it, the caller or its time is gone.
 */
int ow_answer_own(char *ctxdata, char *data, long len);

/* May the sender of the request in hand call service `svc`? 0, or TPEPERM. */
int ow_own_may_call(const char *svc);
/* May the sender of the request in hand post the event? 0, or TPEPERM. */
int ow_own_may_post(const char *event);
/* May it subscribe to events whose names match the pattern, as far as that can
 * be said before there is one? 0, or TPEPERM. */
int ow_own_may_subscribe(const char *pattern);
/* Did the request in hand come from another machine? */
bool ow_own_is_remote(void);
/* May this context of a client get the event? */
bool ow_own_may_get(const char *event, uint32_t slot, uint32_t gen);

/* From tpsvrinit(): when the server is to stop in order, it goes on to serve until
 * `may_end` says yes, which it is asked after each request and each
 * ow_own_wake(). What it has under way may need its own services. */
void ow_own_ends(bool (*may_end)(void));
/* On any thread: the main thread asks again. */
void ow_own_wake(void);

struct ow_trace;
/* The trace of the request in hand: true, and what it is. */
bool ow_own_trace(struct ow_trace *ret);
/* What this thread calls from now on is of this trace, as if it served that
 * request; NULL, or zeros: of none. */
void ow_own_go_on(const struct ow_trace *t);

/* In a service: leave the transaction of the request, whose work goes on
 * elsewhere, so that the request can be handed on. 0, or the tperrno for the
 * caller. */
int ow_leave_own(void);

#endif
