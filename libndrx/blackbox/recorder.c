/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - writes the black box: one record a second
 *
 * How much it writes. A ring of `size` bytes is to hold a day, so a record may
 * have size / 86,400 bytes in the mean: 3.1 KB for 256 MiB. Details - counters
 * and histograms of offers, of clients, CPU time and memory - are in a record
 * while the credit lasts, in each tenth second at least. The credit grows by
 * nine tenths of the mean and is a tenth of the ring at most, so that any 24
 * hours fit. A small domain has all details each second.
 */
#include "libndrx/blackbox/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/masked.h"
#include "libatmi/domain/events.h"
#include "libatmi/log/log.h"
#include "libndrx/blackbox/difference.h"
#include "libndrx/blackbox/event.h"
#include "libndrx/blackbox/file.h"

#define WHOLE_NS  (60 * OW_NS_PER_SEC)
#define DETAIL_NS (10 * OW_NS_PER_SEC)
#define SYNC	  10u /* records */
#define DAY_S	  86400
#define EVENTS	  512u /* in a record, at most */

struct ow_bb_recorder {
	struct ow_bb_writer *writer;
	struct ow_sampler *sampler;
	struct ow_bb_state before, now, none;
	struct ow_bb_bytes raw, packed, events;
	uint64_t whole_ns, detail_ns; /* when it was done last */
	unsigned int unsynced;
	double credit, income, most;
	struct ow_events *ring;
	uint64_t next; /* event to read; those before are known */
	/* Of the last record of before this process; 0: there was none. The wall
	 * clock may have been set since, or the machine started anew. */
	uint64_t last_real_ns, last_mono_ns;
	uint64_t known; /* numbers below: of before this process, and in the
			   file if is_known() */
	bool one_boot; /* no clock was set since, and it is the same boot */
	bool failing, have; /* have: `before` is what the file ends with */
};

void ow_bb_path(char *buf, size_t size)
{
	const char *home = ow_env_str("NDRX_APPHOME", NULL);

	buf[0] = '\0';
	if (home != NULL)
		snprintf(buf, size, "%s/log/blackbox", home);
}

/* Are both clocks as far apart as they were in the last record? */
static bool is_one_boot(const struct ow_bb_recorder *r)
{
	uint64_t then = r->last_real_ns - r->last_mono_ns;
	uint64_t now = ow_clock_real_ns() - ow_clock_mono_ns();
	int64_t by = (int64_t)(now - then);

	return by < (int64_t)OW_NS_PER_SEC && by > -(int64_t)OW_NS_PER_SEC;
}

int ow_bb_recorder_open(const char *path, uint32_t mib,
			struct ow_bb_recorder **ret, char *why, size_t size)
{
	struct ow_bb_recorder *r = calloc(1, sizeof(*r));
	int e;

	if (r == NULL)
		return -ENOMEM;
	e = ow_sampler_open(&r->sampler, why, size);
	if (e != 0) {
		ow_bb_recorder_close(r);
		return -EINVAL;
	}
	e = ow_bb_writer_open(path, mib, ow_sampler_domain(r->sampler)->prefix,
			      &r->writer);
	if (e < 0) {
		snprintf(why, size, "%s: %s", path,
			 e == -EBUSY ? "another process writes it"
				     : strerror(-e));
		ow_bb_recorder_close(r);
		return e;
	}
	r->income = 0.9 * mib * 1024 * 1024 / DAY_S;
	r->most = 0.1 * mib * 1024 * 1024;
	r->credit = r->income * 60;
	r->last_real_ns = ow_bb_writer_last(r->writer);
	r->last_mono_ns = ow_bb_writer_last_mono(r->writer);
	r->one_boot = is_one_boot(r);
	if (ow_bb_writer_replaced(r->writer))
		log_warn("%s was of another size, version or domain, or "
			 "damaged: it is %s.old now, and a new one begins", path, path);
	if (ow_bb_writer_torn(r->writer))
		log_warn("%s: the last record was half written, and is dropped",
			 path);
	*ret = r;
	return 0;
}

struct ow_bb_recorder *ow_bb_recorder_close(struct ow_bb_recorder *r)
{
	if (r == NULL)
		return NULL;
	ow_bb_writer_close(r->writer);
	ow_sampler_close(r->sampler);
	ow_events_close(r->ring);
	ow_bb_free(&r->before);
	ow_bb_free(&r->now);
	ow_bb_bytes_free(&r->raw);
	ow_bb_bytes_free(&r->packed);
	ow_bb_bytes_free(&r->events);
	free(r);
	return NULL;
}

/* ---- events ---- */

static void attach_events(struct ow_bb_recorder *r)
{
	char path[256];
	bool again;

	if (r->ring != NULL && !ow_events_stale(r->ring))
		return;
	again = r->ring != NULL;
	r->ring = ow_events_close(r->ring);
	ow_domain_shm_path(ow_sampler_domain(r->sampler), "events", path,
			   sizeof(path));
	if (ow_events_open(path, false, &r->ring) != 0)
		return;
	r->next = 0;
	r->known = r->last_real_ns != 0 && !again ? ow_events_next(r->ring)
						   : 0;
}

/* Did the process before record it? In doubt it did not: told twice is better than
 * not at all. */
static bool is_known(const struct ow_bb_recorder *r, const struct ow_event *e)
{
	return e->number < r->known && e->mono_ns <= r->last_mono_ns &&
	       (r->one_boot || e->real_ns <= r->last_real_ns);
}

/* Those since the last record, as bytes in r->events. */
static void take_events(struct ow_bb_recorder *r)
{
	uint64_t end;
	struct ow_event e;
	unsigned int n = 0;

	attach_events(r);
	if (r->ring == NULL)
		return;
	end = ow_events_next(r->ring);
	if (end - r->next > OW_EVENTS_MAX)
		r->next = end > OW_EVENTS_MAX ? end - OW_EVENTS_MAX : 0;
	for (; r->next < end && n < EVENTS; r->next++) {
		if (ow_events_read(r->ring, r->next, &e) != 0 ||
		    is_known(r, &e))
			continue;
		ow_bb_put_event(&r->events, &e);
		n++;
	}
}

/* ---- records ---- */

static int pack(struct ow_bb_recorder *r, bool whole)
{
	uLongf n;

	r->raw.n = 0;
	ow_bb_differ(&r->raw, whole ? &r->none : &r->before, &r->now);
	ow_bb_put_bytes(&r->raw, r->events.p, r->events.n);
	r->packed.n = 0;
	n = compressBound(r->raw.n);
	if (r->packed.room < n) {
		ow_bb_bytes_free(&r->packed);
		r->packed.p = malloc(n);
		r->packed.room = r->packed.p != NULL ? n : 0;
	}
	if (r->raw.failed || r->packed.p == NULL ||
	    compress2(r->packed.p, &n, r->raw.p, r->raw.n, 6) != Z_OK)
		return -ENOMEM;
	r->packed.n = n;
	return 0;
}

static int append(struct ow_bb_recorder *r, uint8_t flags)
{
	struct ow_bb_head h = { .flags = flags,
				.real_ns = r->now.real_ns,
				.mono_ns = r->now.now_ns };
	int e = pack(r, (flags & OW_BB_WHOLE) != 0);

	if (e < 0)
		return e;
	h.raw = (uint32_t)r->raw.n;
	h.len = r->packed.n <= OW_BB_SEGMENT ? (uint32_t)r->packed.n
					     : OW_BB_SEGMENT;
	return ow_bb_append(r->writer, &h, r->packed.p);
}

/* A whole one that is too long goes without clients, then without offers. */
static int append_fitting(struct ow_bb_recorder *r, bool whole)
{
	int e = append(r, whole ? OW_BB_WHOLE : 0);

	if (e == OW_BB_SEGMENT_FULL || e == OW_BB_TOO_LONG) {
		r->whole_ns = r->now.now_ns;
		e = append(r, OW_BB_WHOLE);
	}
	if (e == OW_BB_TOO_LONG) {
		r->now.table[OW_BB_CLIENT].n = 0;
		e = append(r, OW_BB_WHOLE | OW_BB_LESS);
	}
	if (e == OW_BB_TOO_LONG) {
		r->now.table[OW_BB_OFFER].n = 0;
		e = append(r, OW_BB_WHOLE | OW_BB_LESS);
	}
	return e > 0 ? -EFBIG : e;
}

static int write_record(struct ow_bb_recorder *r)
{
	uint64_t now = r->now.now_ns;
	bool whole = !r->have || now - r->whole_ns >= WHOLE_NS;
	bool detail = whole || r->credit > 0 || now - r->detail_ns >= DETAIL_NS;
	struct ow_bb_state spare;
	int e;

	if (!detail)
		ow_bb_hold_back(&r->before, &r->now);
	r->credit += r->income;
	if (r->credit > r->most)
		r->credit = r->most;
	e = append_fitting(r, whole);
	if (e < 0)
		return e;
	r->credit -= (double)(r->packed.n + sizeof(struct ow_bb_head));
	if (whole)
		r->whole_ns = now;
	if (detail)
		r->detail_ns = now;
	spare = r->before;
	r->before = r->now;
	r->now = spare;
	r->have = true;
	r->events.n = 0;
	return 0;
}

int ow_bb_record(struct ow_bb_recorder *r)
{
	const struct ow_sample *s;
	int e = ow_sampler_look(r->sampler, false, &s);

	return e == 0 ? ow_bb_record_sample(r, s) : e;
}

int ow_bb_record_sample(struct ow_bb_recorder *r, const struct ow_sample *s)
{
	int e = ow_bb_from_sample(s, &r->now);

	if (e < 0)
		return e;
	take_events(r);
	e = write_record(r);
	if (e < 0 && !r->failing)
		log_error("black box: a record was not written: %s; it says so "
			  "once", strerror(-e));
	if (e == 0 && r->failing)
		log_info("black box: records are written again");
	r->failing = e < 0;
	if (++r->unsynced >= SYNC && ow_bb_sync(r->writer) == 0)
		r->unsynced = 0;
	return e;
}
