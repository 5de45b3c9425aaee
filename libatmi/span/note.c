/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - this process notes its finished spans, while somebody reads them
 *
 * The ring stays mapped until the process ends: another thread may be writing
 * into it. So does that of a domain that was removed; a new domain gets a new
 * ring. A forked child has none until it looks.
 */
#include "libatmi/span/note.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/span/line.h"
#include "libatmi/span/ring.h"

#define IN_RING 1u /* bits of ow_span_noting */
#define IN_LOG	2u

_Atomic uint32_t ow_span_noting;
_Atomic uint64_t ow_span_most; /* of the log: all */
_Atomic uint64_t ow_span_slow_ns;
_Atomic uint32_t ow_span_sampled;
struct ow_span_ring *_Atomic ow_span_direct;

static struct ow_span_ring *_Atomic ring;
static const struct ow_tables *_Atomic ring_of;
static _Atomic uint64_t most; /* that the reader of the ring wants */
static _Atomic uint32_t busy; /* a thread looks */
static _Atomic uint32_t complained;

static void forked(void)
{
	ow_store_relaxed(&ow_span_noting, 0);
	atomic_store(&ow_span_direct, NULL);
	atomic_store(&ring, NULL);
	atomic_store(&ring_of, NULL);
	atomic_store(&busy, 0);
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

bool ow_span_is_wanted(const struct ow_domain *d, uint64_t now_ns)
{
	return d != NULL && d->tables != NULL &&
	       ow_load_relaxed(&d->tables->head->spans_until) > now_ns;
}

/* Have a ring in domain `d`. */
static bool need_ring(const struct ow_domain *d)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct ow_span_ring *r = NULL;
	int e;

	if (atomic_load(&ring) != NULL && atomic_load(&ring_of) == d->tables &&
	    ow_span_ring_is_named(d))
		return true;
	pthread_once(&once, watch_forks);
	e = ow_span_ring_make(d, OW_SPAN_RING_SIZE, &r);
	if (e != 0 && atomic_exchange(&complained, 1) == 0)
		log_warn("spans are not noted: %s: %s", d->shm_dir,
			 ow_owned_strerror(e));
	if (e != 0)
		return false;
	atomic_store(&ring, r);
	atomic_store(&ring_of, d->tables);
	return true;
}

bool ow_span_follow(const struct ow_domain *d, uint64_t now_ns)
{
	uint32_t wish, none = 0, on = ow_log_traces() ? IN_LOG : 0;

	if (!ow_span_is_wanted(d, now_ns)) {
		atomic_store(&ow_span_direct, NULL);
		ow_store_relaxed(&ow_span_most, UINT64_MAX);
		if (ow_load_relaxed(&ow_span_noting) != on)
			ow_store_relaxed(&ow_span_noting, on);
		return on != 0;
	}
	if (!atomic_compare_exchange_strong(&busy, &none, 1))
		return ow_span_is_on();
	wish = ow_load_relaxed(&d->tables->head->spans_one_in);
	ow_store_relaxed(&most, ow_span_bound(wish & ~OW_SPANS_SAMPLED));
	ow_store_relaxed(&ow_span_sampled,
			 wish & OW_SPANS_SAMPLED ? OW_SPAN_SAMPLED : 0);
	ow_store_relaxed(&ow_span_most,
			 on != 0 ? UINT64_MAX : ow_load_relaxed(&most));
	ow_store_relaxed(&ow_span_slow_ns, OW_NS_PER_MS *
			 ow_load_relaxed(&d->tables->head->spans_slow_ms));
	if (need_ring(d))
		on |= IN_RING;
	atomic_store(&ow_span_direct,
		     on == IN_RING ? atomic_load(&ring) : NULL);
	ow_store_relaxed(&ow_span_noting, on);
	atomic_store(&busy, 0);
	return on != 0;
}

/* Whatever the level: who wants calls need not want the rest. */
static void write_line(const struct ow_span *s)
{
	char line[OW_SPAN_LINE];

	ow_ndebug_write(OW_LOG_NDRX, log_info, __FILE__, __LINE__, __func__,
			"trace: %s", ow_span_line(s, line));
}

void ow_span_begin(struct ow_span *s, enum ow_span_kind kind, const char *name,
		   uint64_t begin_ns)
{
	memset(s, 0, sizeof(*s));
	s->kind = (uint8_t)kind;
	memcpy(s->name, name, strnlen(name, sizeof(s->name) - 1));
	s->begin_ns = begin_ns;
}

/* Does the reader want it? */
static bool is_wanted(const struct ow_span *s)
{
	return ow_span_is_within(s->trace_id, ow_load_relaxed(&most)) ||
	       (s->flags & ow_load_relaxed(&ow_span_sampled)) != 0 ||
	       ow_span_is_notable(s, ow_load_relaxed(&ow_span_slow_ns));
}

void ow_span_note(struct ow_span *s)
{
	struct ow_span_ring *r = atomic_load(&ring);
	uint32_t on = ow_load_relaxed(&ow_span_noting);

	if (on == 0)
		return;
	if (s->end_ns == 0)
		s->end_ns = ow_clock_mono_ns();
	if (r != NULL && (on & IN_RING) != 0 && is_wanted(s))
		(void)ow_span_ring_put(r, s);
	if ((on & IN_LOG) != 0)
		write_line(s);
}
