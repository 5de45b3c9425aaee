/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c - rows of the routes of gates for HTTP
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/model/things.h"

/* FNV-1a: the same route has the same key at each look. */
static uint64_t mix(uint64_t h, const char *text)
{
	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

static void take(struct ow_route_row *v, const struct ow_seen_route *e,
		 uint64_t real_ns)
{
	const struct ow_http_route *r = &e->route;

	memset(v, 0, sizeof(*v));
	v->row.key = mix(mix(UINT64_C(0xcbf29ce484222325) ^ e->srvid, e->path),
			 e->method);
	v->row.srvid = e->srvid;
	v->row.grade = e->state == OW_HTTP_DEAD	 ? OW_GRADE_BAD
		       : e->state == OW_HTTP_OLD ? OW_GRADE_LOOK
						 : OW_GRADE_CALM;
	memcpy(v->method, e->method, sizeof(v->method));
	memcpy(v->path, e->path, sizeof(v->path));
	memcpy(v->target, e->target, sizeof(v->target));
	snprintf(v->state, sizeof(v->state), "%s",
		 ow_http_state_name(e->state));
	v->id = e->srvid;
	v->age = (double)e->age_us;
	v->left = e->expires_s == 0 ? NAN
		  : (double)e->expires_s * 1e6 -
			(double)(real_ns / OW_NS_PER_US);
	v->calls = (double)r->rate_milli / 1000;
	v->p50 = r->p50_us != 0 ? (double)r->p50_us : NAN;
	v->p99 = r->p99_us != 0 ? (double)r->p99_us : NAN;
	v->open = (double)r->in_flight;
	v->calls_all = (double)r->requests;
	v->refused = (double)r->refused;
	v->broken = (double)r->broken;
	v->shed = (double)r->shed;
	v->not_done = (double)r->not_done;
	v->unknown = (double)r->unknown;
}

int ow_model_take_routes(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_route_row *p;
	size_t i;
	int r = 0;

	if (s->n_routes > m->alloc_routes) {
		p = realloc(m->routes, s->n_routes * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		m->routes = p;
		m->alloc_routes = s->n_routes;
	}
	for (i = 0; i < s->n_routes && r == 0; i++) {
		take(&m->routes[i], &s->routes[i], s->real_ns);
		r = ow_list_add(&m->list_routes, &m->routes[i].row);
	}
	return r;
}

void ow_model_free_routes(struct ow_model *m)
{
	free(m->routes);
	m->routes = NULL;
	m->alloc_routes = 0;
}
