/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_http.c - figures of the routes of gates for HTTP
 *
 * Names and labels are those of OpenTelemetry (http.server.request.duration,
 * http.server.active_requests), as Prometheus writes them.
 */
#include "libndrx/figures/family.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/observe/http.h"

struct writing {
	const struct ow_family *fam;
	struct ow_text *t;
};

/* The label of a route; requests that no route took have none. */
static void label_route(struct ow_text_label *l, const struct ow_http_route *r)
{
	if (strcmp(r->kind, "none") != 0)
		*l = (struct ow_text_label){ "http_route", r->path };
}

static void write_ended(const struct ow_http_gate *g,
			const struct ow_http_route *r,
			const struct ow_http_ended *e, void *arg)
{
	const struct writing *w = arg;
	char srvid[24], status[16];
	struct ow_text_label labels[6] = {
		{ "srvid", srvid },
		{ "http_request_method", e->method },
		{ "http_response_status_code", status },
	};

	snprintf(srvid, sizeof(srvid), "%ld", g->srvid);
	snprintf(status, sizeof(status), "%u", e->status);
	label_route(&labels[3], r);
	ow_family_write_hist(w->fam, w->t, labels, e->hist, e->sum_us, NULL);
}

void ow_family_http_time(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	static const struct ow_http_look look = { .ended = write_ended };
	struct writing w = { fam, t };

	ow_http_each(&f->view.d, &look, &w);
}

static void write_route(const struct ow_http_gate *g,
			const struct ow_http_route *r, void *arg)
{
	const struct writing *w = arg;
	char srvid[24];
	struct ow_text_label labels[4] = {
		{ "srvid", srvid },
		{ "http_request_method", r->method },
	};

	snprintf(srvid, sizeof(srvid), "%ld", g->srvid);
	label_route(&labels[2], r);
	ow_family_uint(w->fam, w->t, labels, ow_family_word(w->fam, r));
}

void ow_family_http_route(const struct ow_figures *f,
			  const struct ow_family *fam, struct ow_text *t)
{
	static const struct ow_http_look look = { .route = write_route };
	struct writing w = { fam, t };

	ow_http_each(&f->view.d, &look, &w);
}

static void write_gate(const struct ow_http_gate *g, void *arg)
{
	const struct writing *w = arg;
	char srvid[24];
	const struct ow_text_label labels[] = { { "srvid", srvid },
						{ NULL, NULL } };

	snprintf(srvid, sizeof(srvid), "%ld", g->srvid);
	ow_family_uint(w->fam, w->t, labels,
		       g->state == OW_HTTP_UP && g->address[0] != '\0');
}

void ow_family_http_gate(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	static const struct ow_http_look look = { .gate = write_gate };
	struct writing w = { fam, t };

	ow_http_each(&f->view.d, &look, &w);
}
