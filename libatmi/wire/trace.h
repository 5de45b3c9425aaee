/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - W3C trace context: the request and trace ids of calls
 *
 * Every request has an id of 8 random bytes (the span of the call) and a
 * trace id of 16 bytes. A service that calls another service gives its trace
 * id to the new request, so all requests made for one purpose share it. A call
 * outside of any request begins a new trace, unless the environment makes the
 * program part of one: TRACEPARENT=00-<32 hex digits>-<16 hex digits>-<2 hex
 * digits>. The ids are in the message header and in the log lines of the
 * thread that serves the request.
 */
#ifndef OW_TRACE_H
#define OW_TRACE_H

#include <stdint.h>

struct ow_msg;

/* The ids of the request in hand of one thread; zeros: none. */
struct ow_trace {
	uint8_t trace_id[16], span_id[8], flags;
};

/* Parse a W3C traceparent: 0, or -EINVAL with nothing set. */
int ow_trace_parse(const char *text, uint8_t trace_id[16], uint8_t span_id[8],
		   uint8_t *ret_flags);

/* Put the ids in `t` into the log lines of this thread, until
 * ow_trace_close(). */
void ow_trace_open(struct ow_trace *t);
void ow_trace_close(void);
/* Continue the trace of the variable TRACEPARENT, if it is set. */
void ow_trace_inherit(struct ow_trace *t);

/* Set request id and trace id of a new request. */
void ow_trace_stamp(const struct ow_trace *t, struct ow_msg *m);

/* Give request `m` a new id; its trace stays. */
void ow_trace_stamp_span(struct ow_msg *m);

/* This thread begins, or ends, to serve request `m`. */
void ow_trace_enter(struct ow_trace *t, const struct ow_msg *m);
void ow_trace_leave(struct ow_trace *t);

#endif
