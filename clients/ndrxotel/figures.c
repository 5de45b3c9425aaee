/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the figures of the domain as OTLP wants them: metrics in JSON
 */
#include "clients/ndrxotel/figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxotel/attribute.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/buckets.h"
#include "libndrx/figures/families.h"
#include "libndrx/figures/figures.h"
#include "libndrx/figures/text.h"

enum { CUMULATIVE = 2 };

/* Families for which OpenTelemetry has a name. */
struct renamed {
	const char *family, *name, *unit;
	bool sum; /* a gauge that OpenTelemetry adds up */
	bool messaging; /* only with its conventions */
};

static const struct renamed renamed[] = {
	{ "onewake_service_time_seconds", "rpc.server.call.duration", "s",
	  false, false },
	{ "http_server_request_duration_seconds",
	  "http.server.request.duration", "s", false, false },
	{ "http_server_active_requests", "http.server.active_requests",
	  "{request}", true, false },
	{ "onewake_durable_queue_enqueued", "messaging.client.sent.messages",
	  "{message}", false, true },
	{ "onewake_durable_queue_dequeued",
	  "messaging.client.consumed.messages", "{message}", false, true },
};

/* Labels of those, and the attributes that they become. */
static const struct {
	const char *label, *key;
	bool number;
} keys[] = {
	{ "http_route", "http.route", false },
	{ "http_request_method", "http.request.method", false },
	{ "http_response_status_code", "http.response.status_code", true },
};

struct writing {
	struct ow_otel_json *j;
	const struct ow_otel_about *about;
	const struct renamed *as; /* of the family; NULL: its own name */
	bool open; /* a family has begun */
	bool histogram, counter;
	uint64_t begin_ns, now_ns;
	size_t n;
	/* of a histogram */
	double bound[OW_HIST_BUCKETS];
	uint64_t below[OW_HIST_BUCKETS + 1], count;
	size_t bounds, buckets;
	struct ow_text_exemplar exemplar[OW_HIST_BUCKETS + 1];
	size_t exemplars;
};

/* ---- a family ---- */

static const struct renamed *find_renamed(const struct ow_otel_about *a,
					  const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(renamed[i].family, name) == 0)
			return renamed[i].messaging && !a->messaging
				       ? NULL
				       : &renamed[i];
	return NULL;
}

static void end_family(struct writing *w)
{
	bool sum = w->counter || (w->as != NULL && w->as->sum);

	if (!w->open)
		return;
	ow_otel_json_close(w->j, ']');
	if (sum || w->histogram)
		ow_otel_json_number(w->j, "aggregationTemporality",
				    CUMULATIVE);
	if (sum && w->counter)
		ow_otel_json_true(w->j, "isMonotonic");
	ow_otel_json_close(w->j, '}');
	ow_otel_json_close(w->j, '}');
	w->open = false;
}

static const char *unit_of(const char *unit)
{
	return unit == NULL		      ? "1"
	       : strcmp(unit, "seconds") == 0 ? "s"
	       : strcmp(unit, "bytes") == 0   ? "By"
					      : unit;
}

static void begin_family(void *arg, const char *name, const char *type,
			 const char *unit, const char *help)
{
	struct writing *w = arg;

	end_family(w);
	w->as = find_renamed(w->about, name);
	w->counter = strcmp(type, "counter") == 0;
	w->histogram = strcmp(type, "histogram") == 0;
	w->open = true;
	w->bounds = w->buckets = 0;
	ow_otel_json_open(w->j, NULL, '{');
	ow_otel_json_text(w->j, "name", w->as != NULL ? w->as->name : name);
	ow_otel_json_text(w->j, "description", help);
	ow_otel_json_text(w->j, "unit",
			  w->as != NULL ? w->as->unit : unit_of(unit));
	ow_otel_json_open(w->j,
			  w->histogram ? "histogram"
			  : w->counter || (w->as != NULL && w->as->sum)
			      ? "sum"
			      : "gauge",
			  '{');
	ow_otel_json_open(w->j, "dataPoints", '[');
}

/* ---- a data point ---- */

static void rpc_attribute(struct ow_otel_json *j,
			  const struct ow_text_label *l)
{
	ow_otel_attr_text(j, "rpc.system.name", "onewake");
	ow_otel_attr_text(j, "rpc.method", l->value);
}

static void queue_attribute(struct ow_otel_json *j,
			    const struct ow_text_label *l)
{
	ow_otel_attr_text(j, "messaging.system", "onewake");
	ow_otel_attr_text(j, "messaging.destination.name", l->value);
}

static void attribute(struct writing *w, const struct ow_text_label *l)
{
	size_t i;

	if (w->as != NULL && strcmp(l->name, "service") == 0) {
		rpc_attribute(w->j, l);
		return;
	}
	if (w->as != NULL && strcmp(l->name, "queue") == 0) {
		queue_attribute(w->j, l);
		return;
	}
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (w->as == NULL || strcmp(keys[i].label, l->name) != 0)
			continue;
		if (keys[i].number)
			ow_otel_attr_number(w->j, keys[i].key,
					    strtoull(l->value, NULL, 10));
		else
			ow_otel_attr_text(w->j, keys[i].key, l->value);
		return;
	}
	ow_otel_attr_text(w->j, l->name, l->value);
}

static void point_begin(struct writing *w, const struct ow_text_label *l)
{
	w->n++;
	ow_otel_json_open(w->j, NULL, '{');
	ow_otel_json_open(w->j, "attributes", '[');
	for (; l != NULL && l->name != NULL; l++)
		attribute(w, l);
	ow_otel_json_close(w->j, ']');
	if (w->counter || w->histogram)
		ow_otel_json_u64(w->j, "startTimeUnixNano", w->begin_ns);
	ow_otel_json_u64(w->j, "timeUnixNano", w->now_ns);
}

static void take_exemplar(void *arg, const struct ow_text_exemplar *e)
{
	struct writing *w = arg;

	if (w->exemplars < sizeof(w->exemplar) / sizeof(w->exemplar[0]))
		w->exemplar[w->exemplars++] = *e;
}

static void write_exemplars(struct writing *w)
{
	size_t i;

	ow_otel_json_open(w->j, "exemplars", '[');
	for (i = 0; i < w->exemplars; i++) {
		ow_otel_json_open(w->j, NULL, '{');
		ow_otel_json_u64(w->j, "timeUnixNano",
				 (uint64_t)(w->exemplar[i].when * 1e9));
		ow_otel_json_real(w->j, "asDouble", w->exemplar[i].value);
		ow_otel_json_hex(w->j, "traceId", w->exemplar[i].trace_id, 16);
		ow_otel_json_hex(w->j, "spanId", w->exemplar[i].id, 8);
		ow_otel_json_close(w->j, '}');
	}
	ow_otel_json_close(w->j, ']');
	w->exemplars = 0;
}

static void write_histogram(struct writing *w, const struct ow_text_label *l,
			    double sum)
{
	size_t i;

	point_begin(w, l);
	ow_otel_json_u64(w->j, "count", w->count);
	ow_otel_json_real(w->j, "sum", sum);
	ow_otel_json_open(w->j, "bucketCounts", '[');
	for (i = 0; i < w->buckets; i++)
		ow_otel_json_u64(w->j, NULL,
				 w->below[i] - (i > 0 ? w->below[i - 1] : 0));
	ow_otel_json_close(w->j, ']');
	ow_otel_json_open(w->j, "explicitBounds", '[');
	for (i = 0; i < w->bounds; i++)
		ow_otel_json_real(w->j, NULL, w->bound[i]);
	ow_otel_json_close(w->j, ']');
	if (w->exemplars > 0)
		write_exemplars(w);
	ow_otel_json_close(w->j, '}');
	w->bounds = w->buckets = 0;
}

/* A bucket of a histogram: all that lies below its bound, the last label. */
static void take_bucket(struct writing *w, const struct ow_text_label *l,
			uint64_t value)
{
	const char *le = "+Inf";

	for (; l != NULL && l->name != NULL; l++)
		le = l->value;
	if (w->buckets < sizeof(w->below) / sizeof(w->below[0]))
		w->below[w->buckets++] = value;
	if (strcmp(le, "+Inf") != 0 && w->bounds < OW_HIST_BUCKETS)
		w->bound[w->bounds++] = strtod(le, NULL);
}

/* asInt has a sign. */
static void take_whole(void *arg, const char *suffix,
		       const struct ow_text_label *l, uint64_t value)
{
	struct writing *w = arg;

	if (strcmp(suffix, "_bucket") == 0) {
		take_bucket(w, l, value);
	} else if (w->histogram && strcmp(suffix, "_count") == 0) {
		w->count = value;
	} else {
		point_begin(w, l);
		ow_otel_json_u64(w->j, "asInt",
				 value > INT64_MAX ? INT64_MAX : value);
		ow_otel_json_close(w->j, '}');
	}
}

static void take_real(void *arg, const char *suffix,
		      const struct ow_text_label *l, double value)
{
	struct writing *w = arg;

	if (w->histogram) {
		write_histogram(w, l, value);
		return;
	}
	point_begin(w, l);
	ow_otel_json_real(w->j, "asDouble", value);
	ow_otel_json_close(w->j, '}');
}

/* ---- all of them ---- */

void ow_otel_figures_write(struct ow_otel_json *j,
			   const struct ow_otel_about *a,
			   const struct ow_figures *f, uint64_t begin_ns,
			   size_t *ret_n)
{
	struct writing w = { .j = j, .about = a, .begin_ns = begin_ns,
			     .now_ns = ow_clock_real_ns() };
	const struct ow_text_sink sink = { &w, begin_family, take_whole,
					     take_real, take_exemplar };
	struct ow_text t = { .sink = &sink };

	ow_otel_json_open(j, NULL, '{');
	ow_otel_json_open(j, "resourceMetrics", '[');
	ow_otel_json_open(j, NULL, '{');
	ow_otel_resource(j, a, "onewake", 0);
	ow_otel_json_open(j, "scopeMetrics", '[');
	ow_otel_json_open(j, NULL, '{');
	ow_otel_scope(j);
	ow_otel_json_open(j, "metrics", '[');
	ow_families_write(f, &t);
	end_family(&w);
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
	*ret_n = w.n;
}
