/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxotel: the spans of a domain for an OpenTelemetry collector
 *
 * One thread takes spans from rings, another sends (outbox.h). While the program
 * runs, processes of the domain note spans; a few seconds after its death they
 * cease. A domain that is stopped is waited for.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxotel/choice.h"
#include "clients/ndrxotel/measure.h"
#include "clients/ndrxotel/options.h"
#include "clients/ndrxotel/outbox.h"
#include "clients/ndrxotel/rings.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/signals.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libatmi/span/exemplars.h"
#include "libatmi/span/note.h"
#include "libatmi/span/snapshot.h"
#include "libubf/base/standard.h"

#define SOON_MS	  1
#define MOST_MS	  50
#define SECOND_NS OW_NS_PER_SEC
#define SHOW_NS	  (200 * OW_NS_PER_MS)
#define REST_NS	  (3 * SECOND_NS) /* for what is left at the end */

struct reader {
	struct ow_otel_options o;
	struct ow_otel_about about;
	struct ow_otel_rings *rings; /* NULL: no domain runs */
	struct ow_otel_choice *choice;
	struct ow_otel_outbox *outbox;
	struct ow_span_snapshot *shown; /* of this domain; NULL */
	struct ow_exemplars *exemplars; /* of this domain; NULL */
	struct ow_otel_measure *measure; /* NULL: no metrics */
	uint64_t began_ns, wanted_ns, shown_ns, lost, lost_ns;
	uint64_t now_ns, real_ns; /* of this look; what is added for wall time */
};

/* ---- what it shows of itself ---- */

static void fill_metrics(struct reader *r, struct ow_span_snapshot *p)
{
	struct ow_otel_out_counts out = { .sent = 0 };

	if (r->measure != NULL)
		ow_otel_measure_count(r->measure, &out);
	p->metrics_sent = out.sent;
	p->metrics_failures = out.failures;
	p->metrics_dropped = out.overflow + out.refused;
	p->metrics_waiting = out.waiting;
	memcpy(p->metrics_error, out.error, sizeof(p->metrics_error));
	snprintf(p->metrics_to, sizeof(p->metrics_to), "%.159s",
		 r->o.metrics);
}

static void fill(struct reader *r, struct ow_span_snapshot *p)
{
	struct ow_otel_out_counts out;
	struct ow_otel_ring_counts in;
	uint64_t lost;

	ow_otel_rings_count(r->rings, &in);
	ow_otel_outbox_count(r->outbox, &out);
	lost = in.dropped + in.torn + out.overflow + out.refused;
	if (lost > r->lost)
		r->lost_ns = ow_clock_mono_ns();
	r->lost = lost;
	p->began_ns = r->began_ns;
	p->read = in.read;
	p->dropped = in.dropped;
	p->torn = in.torn;
	p->rings = in.rings;
	p->left_out = ow_otel_choice_left_out(r->choice);
	p->held = ow_otel_choice_held(r->choice);
	p->overflow = out.overflow;
	p->refused = out.refused;
	p->sent = out.sent;
	p->failures = out.failures;
	p->sent_ns = out.sent_ns;
	p->waiting = out.waiting;
	p->lost_ns = r->lost_ns;
	memcpy(p->error, out.error, sizeof(p->error));
	snprintf(p->to, sizeof(p->to), "%.159s",
		 r->o.url[0] != '\0' ? r->o.url : r->o.file);
	fill_metrics(r, p);
}

static void show(struct reader *r, uint64_t now)
{
	if (r->shown == NULL || now < r->shown_ns + SHOW_NS)
		return;
	r->shown_ns = now;
	ow_snapshot_begin(&r->shown->head, &ow_span_snapshot_kind);
	fill(r, r->shown);
	ow_snapshot_end(&r->shown->head);
}

/* ---- the domain ---- */

static void let_go(struct reader *r)
{
	if (r->shown != NULL)
		ow_snapshot_close(&r->shown->head, &ow_span_snapshot_kind);
	r->shown = NULL;
	if (r->exemplars != NULL)
		ow_snapshot_close(&r->exemplars->head, &ow_exemplars_kind);
	r->exemplars = NULL;
	r->rings = ow_otel_rings_close(r->rings);
}

/* 0: a domain is there; -EAGAIN, -ENOENT, -errno. */
static int attach(struct reader *r, char *why, size_t size)
{
	const struct ow_domain *d;
	int e;

	if (r->rings != NULL &&
	    ow_domain_is_gone(ow_otel_rings_domain(r->rings)))
		let_go(r);
	if (r->rings != NULL)
		return 0;
	e = ow_otel_rings_open(&r->rings, why, size);
	if (e != 0)
		return e;
	ow_otel_rings_choose(r->rings,
			     r->o.noted_one_in |
				 (r->o.wish.sampled ? OW_SPANS_SAMPLED : 0),
			     (uint32_t)(r->o.wish.slow_ns / OW_NS_PER_MS));
	d = ow_otel_rings_domain(r->rings);
	if (ow_snapshot_open(d, &ow_span_snapshot_kind, 0, &r->shown) != 0)
		r->shown = NULL;
	if (ow_snapshot_open(d, &ow_exemplars_kind, 0, &r->exemplars) != 0)
		r->exemplars = NULL;
	r->began_ns = ow_clock_mono_ns();
	r->lost = r->lost_ns = 0;
	return 0;
}

/* ---- the work ---- */

static void taken(void *arg, const struct ow_otel_span *s)
{
	struct reader *r = arg;

	ow_otel_choice_add(r->choice, s, r->now_ns);
}

/* A service that will be in the collector. */
static void show_exemplar(struct reader *r, const struct ow_span *s)
{
	struct ow_exemplar e = { .us = 0 };

	snprintf(e.service, sizeof(e.service), "%.*s", (int)sizeof(s->name) - 1,
		 s->name);
	memcpy(e.trace_id, s->trace_id, sizeof(e.trace_id));
	memcpy(e.id, s->id, sizeof(e.id));
	if (s->end_ns > s->begin_ns)
		e.us = (s->end_ns - s->begin_ns) / OW_NS_PER_US;
	e.ended_ns = r->real_ns + s->end_ns;
	ow_snapshot_begin(&r->exemplars->head, &ow_exemplars_kind);
	ow_exemplars_add(r->exemplars, &e);
	ow_snapshot_end(&r->exemplars->head);
}

static void chosen(void *arg, const struct ow_otel_span *s)
{
	struct reader *r = arg;

	if (s->s.kind == OW_SPAN_SERVE && r->exemplars != NULL)
		show_exemplar(r, &s->s);
	ow_otel_outbox_add(r->outbox, s);
}

/* How long to sleep, in ms. */
static int work(struct reader *r, int before_ms)
{
	uint64_t now = ow_clock_mono_ns();
	char why[512];
	bool soon = false;

	r->now_ns = now;
	r->real_ns = ow_clock_real_ns() - now;
	if (r->rings == NULL || now >= r->wanted_ns + SECOND_NS) {
		r->wanted_ns = now;
		if (attach(r, why, sizeof(why)) == 0)
			ow_otel_rings_want(r->rings, true);
		ow_log_tick(now);
	}
	if (r->rings != NULL)
		soon = ow_otel_rings_take(r->rings, taken, r);
	ow_otel_choice_tick(r->choice, now);
	ow_otel_outbox_tick(r->outbox, now);
	ow_otel_measure_tick(r->measure, now);
	if (r->rings == NULL)
		return 500;
	show(r, now);
	return soon			  ? SOON_MS
	       : before_ms * 2 >= MOST_MS ? MOST_MS
					  : before_ms * 2;
}

/* `url` "": a file. */
static int open_way(const char *url, const char *file, struct ow_otel_way *way,
		    char *why, size_t size)
{
	int e;

	if (url[0] != '\0')
		return ow_otel_http_open(url, way, why, size);
	e = ow_otel_file_open(file, way);
	if (e != 0)
		snprintf(why, size, "%.200s: %s", file, strerror(-e));
	return e;
}

static int prepare_metrics(struct reader *r, char *why, size_t size)
{
	const char *to = r->o.metrics;
	struct ow_otel_way way;
	int e;

	if (to[0] == '\0')
		return 0;
	e = open_way(strstr(to, "://") != NULL ? to : "", to, &way, why, size);
	if (e != 0)
		return e;
	r->measure = ow_otel_measure_open(&way, &r->about, r->o.interval_ns);
	if (r->measure == NULL)
		snprintf(why, size, "no memory");
	return r->measure != NULL ? 0 : -ENOMEM;
}

static int prepare(struct reader *r, char *why, size_t size)
{
	struct ow_otel_way way;
	struct ow_domain env;
	int e = ow_domain_read_env(&env, why, size);

	if (e != 0)
		return e;
	ow_otel_about_read(&r->about, env.prefix, env.nodeid);
	e = attach(r, why, size);
	if (e == -EAGAIN || e == -EPERM)
		return e;
	e = open_way(r->o.url, r->o.file, &way, why, size);
	if (e != 0)
		return e;
	r->outbox = ow_otel_outbox_open(&way, &r->about, "spans",
					r->o.waiting);
	r->choice = ow_otel_choice_new(&r->o.wish, chosen, r);
	if (r->outbox != NULL && r->choice != NULL)
		return prepare_metrics(r, why, size);
	snprintf(why, size, "no memory");
	return -ENOMEM;
}

static void finish(struct reader *r)
{
	uint64_t until = ow_clock_mono_ns() + REST_NS;

	if (r->rings != NULL) {
		ow_otel_rings_want(r->rings, false);
		ow_otel_rings_take(r->rings, taken, r);
	}
	r->choice = ow_otel_choice_end(r->choice);
	if (r->measure != NULL)
		ow_otel_measure_end(r->measure, until);
	if (r->outbox != NULL)
		ow_otel_outbox_end(r->outbox, until);
	r->measure = ow_otel_measure_close(r->measure);
	r->outbox = ow_otel_outbox_close(r->outbox);
	let_go(r);
}

int main(int argc, char **argv)
{
	struct pollfd p = { .events = POLLIN };
	struct reader r = { .rings = NULL };
	char why[512] = "";
	int ms = SOON_MS;

	ow_standard_fill();
	switch (ow_otel_options_read(argc, argv, &r.o)) {
	case 0:
		break;
	case OW_OTEL_HELP:
		return 0;
	default:
		return 2;
	}
	p.fd = ow_signals_catch();
	if (p.fd < 0 || prepare(&r, why, sizeof(why)) != 0) {
		fprintf(stderr, "ndrxotel: %s\n",
			why[0] != '\0' ? why : strerror(errno));
		finish(&r);
		return 1;
	}
	while (p.revents == 0) {
		ms = work(&r, ms);
		if (poll(&p, 1, ms) < 0 && errno != EINTR)
			break;
	}
	finish(&r);
	return 0;
}
