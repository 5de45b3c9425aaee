/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_http.c - check the gates for HTTP: dead, hanging, certificates, services
 */
#include "libndrx/observe/doctor_http.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/observe/format.h"
#include "libndrx/observe/http.h"
#include "libndrx/observe/observer.h"

#define DAY_S	 86400

struct checking {
	struct ow_doctor *doc;
	const struct ow_observer *view;
	struct ow_doctor_names unserved;
};

static void check_state(struct ow_doctor *doc, const struct ow_http_gate *g)
{
	char found[160], age[OW_FORMAT_MAX];
	bool dead = g->state == OW_HTTP_DEAD;

	if (g->state == OW_HTTP_UP)
		return;
	snprintf(found, sizeof(found), "gate %ld%s%.60s: %s; its last figures "
		 "are %s old", g->srvid, g->name[0] != '\0' ? " " : "", g->name,
		 dead ? "dead" : "writes nothing",
		 ow_format_us(g->age_us, age, sizeof(age)));
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = dead ? OW_DOCTOR_FAIL : OW_DOCTOR_WARN,
		.what = "gates for HTTP", .found = found,
		.meaning = dead ? "it did not stop in order, and nobody "
				  "listens in its place"
				: "it lives and hangs, or is stopped by a "
				  "signal",
		.cure = dead ? "xadmin ppm has the reason; xadmin start -i "
			       "SRVID"
			     : "see its log; xadmin restart -i SRVID" });
}

static void check_certificate(struct ow_doctor *doc,
			      const struct ow_http_gate *g)
{
	int64_t left = g->expires_s -
		       (int64_t)(ow_clock_real_ns() / OW_NS_PER_SEC);
	char found[160];

	if (g->expires_s == 0 || left >= OW_HTTP_SOON_S || g->state == OW_HTTP_DEAD)
		return;
	snprintf(found, sizeof(found), "gate %ld%s%.60s: %s %.1f days",
		 g->srvid, g->name[0] != '\0' ? " " : "", g->name,
		 left > 0 ? "ends in" : "has ended since",
		 (double)(left > 0 ? left : -left) / DAY_S);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = left > 0 ? OW_DOCTOR_WARN : OW_DOCTOR_FAIL,
		.what = "certificates of HTTP", .found = found,
		.meaning = left > 0 ? "then callers refuse the gate"
				    : "callers refuse the gate",
		.cure = "put a new certificate into the file (tls_cert_file): "
			"the gate takes it within a second" });
}

/* Is it dead, and nobody misses it? It was killed, then stopped or taken out of the
 * configuration. */
static bool is_past(const struct ow_observer *v, const struct ow_http_gate *g)
{
	const struct ow_tables *t = v->d.tables;
	bool up;

	return g->state == OW_HTTP_DEAD &&
	       (g->srvid < 1 || ow_srv_next(t, (uint32_t)g->srvid) != g->srvid ||
		!ow_observer_missing(v, (uint32_t)g->srvid, &up));
}

static void on_gate(const struct ow_http_gate *g, void *arg)
{
	struct checking *c = arg;

	if (is_past(c->view, g))
		return;
	check_state(c->doc, g);
	check_certificate(c->doc, g);
}

static bool is_offered(const struct ow_observer *v, const char *service)
{
	uint32_t i, n = ow_observer_services(v);
	char name[OW_SVC_NAME];
	const struct ow_svc *s;
	bool remote;

	for (i = 0; i < n; i++) {
		s = ow_observer_service(v, i, name);
		if (s != NULL && strcmp(name, service) == 0)
			return ow_observer_servers(v, s, &remote) > 0;
	}
	return false;
}

/* Routes whose target is a service. */
static bool has_service(const struct ow_http_route *r)
{
	return strcmp(r->kind, "service") == 0 ||
	       strcmp(r->kind, "conversation") == 0;
}

static void on_route(const struct ow_http_gate *g,
		     const struct ow_http_route *r, void *arg)
{
	struct checking *c = arg;
	char name[200];

	if (g->state == OW_HTTP_DEAD || !r->in_force || !has_service(r) ||
	    is_offered(c->view, r->target))
		return;
	snprintf(name, sizeof(name), "%.31s (%.8s %.60s of gate %ld)",
		 r->target, r->method, r->path, g->srvid);
	ow_doctor_name(&c->unserved, name);
}

void ow_doctor_http(struct ow_doctor *doc, const struct ow_observer *v)
{
	static const struct ow_http_look look = { .gate = on_gate,
						  .route = on_route };
	struct checking c = { .doc = doc, .view = v };

	ow_http_each(&v->d, &look, &c);
	if (c.unserved.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "routes of HTTP",
		.found = c.unserved.text,
		.meaning = "nobody offers these services: their routes answer "
			   "503",
		.cure = "start their servers (xadmin ppm), or correct svc of "
			"the routes" });
}
