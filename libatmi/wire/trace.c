/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - W3C trace context: the request and trace ids of calls
 *
 * Each thread has a generator of ids, seeded by the kernel, which takes a few
 * instructions per call. Ids must be unique, not secret: a new trace has the
 * generator's state, which does not repeat, and the id of its first request.
 */
#include "libatmi/wire/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tls.h"
#include "libatmi/log/line.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"
#include "libubf/base/uncancelled.h"
#include "libubf/base/variable.h"

static OW_TLS_FAST uint64_t t_state; /* 0: not seeded */

/* A forked child must not repeat its parent's ids. */
static void forked(void)
{
	t_state = 0;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* Not inlined: ow_trace_stamp() then saves no registers on its short path. */
__attribute__((noinline, cold)) static void seed(void)
{
	OW_UNCANCELLED;
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	if (getrandom(&t_state, sizeof(t_state), GRND_NONBLOCK) !=
	    sizeof(t_state))
		t_state = ow_clock_mono_ns() ^ ((uint64_t)getpid() << 40);
	t_state |= 1;
}

/* A counter in odd steps, of which all bits of a square are mixed: one
 * multiplication. */
static inline uint64_t next_random(void)
{
	uint64_t state = t_state + UINT64_C(0x9e3779b97f4a7c15), z;
	unsigned __int128 m = (unsigned __int128)state *
			      (state ^ UINT64_C(0xd1342543de82ef95));

	t_state = state;
	z = (uint64_t)m ^ (uint64_t)(m >> 64);
	return z != 0 ? z : 1; /* an id of zeros means none */
}

/* ---- the text form ---- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(const char *text, uint8_t *id, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int high = digit(text[2 * i]);
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		id[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

int ow_trace_parse(const char *text, uint8_t trace_id[16], uint8_t span_id[8],
		   uint8_t *ret_flags)
{
	uint8_t version, trace[16], span[8], flags;

	/* Later versions may have more fields after the flags. */
	if (strlen(text) < 55 || !take_hex(text, &version, 1) ||
	    version == 0xff || (version == 0 && text[55] != '\0') ||
	    text[2] != '-' || text[35] != '-' || text[52] != '-' ||
	    !take_hex(text + 3, trace, 16) || !take_hex(text + 36, span, 8) ||
	    !take_hex(text + 53, &flags, 1) ||
	    !ow_log_id_set(trace, sizeof(trace)) ||
	    !ow_log_id_set(span, sizeof(span)))
		return -EINVAL;
	memcpy(trace_id, trace, sizeof(trace));
	memcpy(span_id, span, sizeof(span));
	*ret_flags = flags;
	return 0;
}

/* ---- contexts and requests ---- */

void ow_trace_open(struct ow_trace *t)
{
	ow_log_bind_request(t->span_id, t->trace_id);
}

void ow_trace_inherit(struct ow_trace *t)
{
	const char *text = ow_variable("TRACEPARENT");

	if (text != NULL && *text != '\0' &&
	    ow_trace_parse(text, t->trace_id, t->span_id, &t->flags) < 0)
		log_warn("environment: TRACEPARENT=%.80s: not a traceparent: "
			 "ignored", text);
}

void ow_trace_close(void)
{
	ow_log_bind_request(NULL, NULL);
}

static void log_request(const struct ow_msg *m)
{
	char span[2 * OW_LOG_SPAN + 1], trace[2 * OW_LOG_TRACE + 1];

	log_debug("request %s of trace %s",
		  ow_log_id_hex(m->span_id, sizeof(m->span_id), span),
		  ow_log_id_hex(m->trace_id, sizeof(m->trace_id), trace));
}

void ow_trace_stamp(const struct ow_trace *t, struct ow_msg *m)
{
	uint64_t id[2], span;

	if (t_state == 0)
		seed();
	span = next_random();
	memcpy(id, t->trace_id, sizeof(id));
	if ((id[0] | id[1]) == 0) { /* a new trace, which begins here */
		id[0] = t_state;
		id[1] = span;
	}
	memcpy(m->trace_id, id, sizeof(id));
	m->trace_flags = t->flags;
	memcpy(m->span_id, &span, sizeof(span));
	if (ow_ndebug_on(OW_LOG_NDRX, log_debug))
		log_request(m);
}

void ow_trace_stamp_span(struct ow_msg *m)
{
	uint64_t span;

	if (t_state == 0)
		seed();
	span = next_random();
	memcpy(m->span_id, &span, sizeof(span));
}

void ow_trace_enter(struct ow_trace *t, const struct ow_msg *m)
{
	memcpy(t->trace_id, m->trace_id, sizeof(m->trace_id));
	memcpy(t->span_id, m->span_id, sizeof(m->span_id));
	t->flags = m->trace_flags;
}

void ow_trace_leave(struct ow_trace *t)
{
	memset(t->trace_id, 0, sizeof(t->trace_id));
	memset(t->span_id, 0, sizeof(t->span_id));
	t->flags = 0;
}
