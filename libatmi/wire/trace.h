/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - which request belongs to which piece of work (W3C trace context)
 *
 * Every request has an id of 8 random bytes (the span of the call) and the id
 * of a trace, 16 bytes, that all requests made on its behalf share: a service
 * that calls on hands its trace on. A call made outside of any request begins
 * a trace of its own, unless the environment says that the program is part of
 * one: TRACEPARENT=00-<32 hex digits>-<16 hex digits>-<2 hex digits>. The ids
 * travel in the message header and stand in the log lines of the thread that
 * works for the request.
 */
#ifndef OW_TRACE_H
#define OW_TRACE_H

#include <stdint.h>

struct ow_msg;

/* The ids of the request in hand; zeros: none. Of one thread. */
struct ow_trace {
	uint8_t trace_id[16], span_id[8], flags;
};

/* W3C traceparent. 0 or -EINVAL: not of that form, then nothing is set. */
int ow_trace_parse(const char *text, uint8_t trace_id[16], uint8_t span_id[8],
		   uint8_t *ret_flags);

#pragma GCC visibility push(default)

/* Log lines of this thread carry the ids in `t` from now on, until
 * ow_trace_close(). */
void ow_trace_open(struct ow_trace *t);
void ow_trace_close(void);
/* The program is part of the trace that TRACEPARENT names, if it is set. */
void ow_trace_inherit(struct ow_trace *t);

/* Give a new request its id, and its trace. */
void ow_trace_stamp(const struct ow_trace *t, struct ow_msg *m);

/* This thread works for request `m` from now on; and no longer. */
void ow_trace_enter(struct ow_trace *t, const struct ow_msg *m);
void ow_trace_leave(struct ow_trace *t);

#pragma GCC visibility pop
#endif
