/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes_sample.c - the routes of gates for HTTP of a sample
 */
#include "libndrx/model/routes_sample.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found {
	struct ow_seen_route *all;
	size_t n, room;
	bool failed;
};

static struct ow_seen_route *add(struct found *f)
{
	size_t want = f->room > 0 ? 2 * f->room : 32;
	struct ow_seen_route *p = f->all;

	if (f->n == f->room) {
		p = realloc(p, want * sizeof(*p));
		if (p == NULL)
			return NULL;
		f->all = p;
		f->room = want;
	}
	return &p[f->n++];
}

static void on_route(const struct ow_http_gate *g,
		     const struct ow_http_route *r, void *arg)
{
	struct found *f = arg;
	struct ow_seen_route *e;

	if (!r->in_force)
		return;
	e = add(f);
	f->failed = f->failed || e == NULL;
	if (e == NULL)
		return;
	*e = (struct ow_seen_route){ .srvid = (uint32_t)g->srvid,
				     .state = g->state, .age_us = g->age_us,
				     .expires_s = g->expires_s,
				     .route = *r };
	snprintf(e->method, sizeof(e->method), "%s", r->method);
	snprintf(e->path, sizeof(e->path), "%s", r->path);
	if (strcmp(r->kind, "service") == 0)
		snprintf(e->target, sizeof(e->target), "%s", r->target);
	else if (strcmp(r->kind, "none") == 0)
		snprintf(e->target, sizeof(e->target), "(no route)");
	else
		snprintf(e->target, sizeof(e->target), "(%s)", r->kind);
	e->route.method = e->route.path = e->route.kind = e->route.target =
		NULL;
}

int ow_routes_sample(const struct ow_domain *d, struct ow_seen_route **ret,
		     size_t *ret_n)
{
	static const struct ow_http_look look = { .route = on_route };
	struct found f = { .all = NULL };

	ow_http_each(d, &look, &f);
	if (f.failed) {
		free(f.all);
		return -ENOMEM;
	}
	*ret = f.all;
	*ret_n = f.n;
	return 0;
}
