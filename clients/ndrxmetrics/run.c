/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - export the figures of a domain, read once a second
 */
#include "clients/ndrxmetrics/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libndrx/figures/families.h"
#include "libndrx/figures/figures.h"
#include "clients/ndrxmetrics/guest.h"
#include "clients/ndrxmetrics/http.h"
#include "libndrx/figures/text.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/ports.h"
#include "libatmi/domain/gate.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libubf/base/about.h"

#define LOOK_MS	 1000
#define HEALTH_S 60u

struct ow_run {
	struct ow_figures f;
	struct ow_health *health;
	struct ow_http *http;
	uint64_t next_look_ns;
};

/* ---- options ---- */

static int usage(const char *program)
{
	printf("usage: %s [-s SOCKET | -n] [-p [ADDRESS:]PORT] [-1]\n\n"
	       "Figures of the domain (NDRX_QPREFIX) as OpenMetrics text:\n"
	       "  -s SOCKET  GET /metrics on this Unix socket\n"
	       "             ($NDRX_APPHOME/run/metrics.sock)\n"
	       "  -n         no Unix socket\n"
	       "  -p [ADDRESS:]PORT\n"
	       "             also on this TCP port, of 127.0.0.1 unless an "
	       "address is given\n"
	       "             (0.0.0.0: any, [::1]: IPv6); nobody is asked who "
	       "he is\n"
	       "  -1         print the figures once and end\n",
	       program);
	return OW_RUN_HELP;
}

static int default_socket(struct ow_run_options *o)
{
	const char *home = ow_env_str("NDRX_APPHOME", NULL);

	if (home != NULL)
		snprintf(o->socket, sizeof(o->socket), "%s/run/metrics.sock",
			 home);
	return home != NULL;
}

static int take_port(const char *text, struct ow_run_options *o)
{
	if (ow_port_parse(text, o->address, sizeof(o->address), &o->port))
		return 0;
	fprintf(stderr, "-p %s: give a port from 1 to 65535, or an address and "
		"a port as 10.0.0.1:9464\n", text);
	return -EINVAL;
}

int ow_run_parse(int argc, char **argv, struct ow_run_options *ret)
{
	struct ow_run_options o = { .address = "127.0.0.1" };
	bool none = false;
	int opt, r = 0;

	switch (ow_about(argc, argv, "ndrxmetrics")) {
	case OW_ABOUT_HELP:
		return usage(argv[0]);
	case OW_ABOUT_VERSION:
		return OW_RUN_HELP;
	case OW_ABOUT_NONE:
		break;
	}
	optind = 1;
	while (r == 0 && (opt = getopt(argc, argv, "s:np:1h")) != -1) {
		if (opt == 's')
			snprintf(o.socket, sizeof(o.socket), "%s", optarg);
		else if (opt == 'n')
			none = true;
		else if (opt == 'p')
			r = take_port(optarg, &o);
		else if (opt == '1')
			o.once = true;
		else
			r = opt == 'h' ? usage(argv[0]) : -EINVAL;
	}
	if (r == 0 && !none && !o.once && o.socket[0] == '\0' &&
	    !default_socket(&o) && o.port == 0) {
		fprintf(stderr, "%s: NDRX_APPHOME is not set: -s or -p is "
			"needed\n", argv[0]);
		r = -EINVAL;
	}
	if (r == 0)
		*ret = o;
	return r;
}

/* ---- looking ---- */

static void write_figures(void *arg, struct ow_text *t)
{
	struct ow_run *r = arg;
	char why[1200];

	if (ow_gate_is_asked()) {
		if (ow_metrics_fetch(t, why, sizeof(why)) < 0)
			fprintf(stderr, "ndrxmetrics: %s\n", why);
		return;
	}
	ow_figures_look(&r->f);
	r->f.nhealth = ow_health_get(r->health, r->f.health);
	ow_families_write(&r->f, t);
}

/* Figures of "no domain" would be wrong. 0, -EPERM with `why`. */
static int check_owner(char *why, size_t size)
{
	struct ow_domain d;

	return !ow_gate_is_asked() && ow_domain_read_env(&d, why, size) == 0 &&
		       ow_observer_foreign(&d, why, size)
		   ? -EPERM
		   : 0;
}

int ow_run_once(void)
{
	struct ow_run r = { .next_look_ns = 0 };
	struct ow_text t = { .len = 0 };
	char why[512];
	int e = check_owner(why, sizeof(why));

	if (e < 0) {
		fprintf(stderr, "ndrxmetrics: %s\n", why);
		return e;
	}
	e = ow_health_open(0, &r.health);
	if (e < 0)
		return e;
	write_figures(&r, &t);
	if (t.failed || fwrite(t.bytes, 1, t.len, stdout) != t.len ||
	    fflush(stdout) != 0)
		e = -EIO;
	ow_text_clear(&t);
	ow_figures_close(&r.f);
	ow_health_close(r.health);
	return e;
}

/* ---- serving ---- */

int ow_run_open(const struct ow_run_options *o, struct ow_run **ret,
		char *why, size_t size)
{
	struct ow_run *r = calloc(1, sizeof(*r));
	struct ow_http_options h = {
		.socket = o->socket[0] != '\0' ? o->socket : NULL,
		.address = o->address,
		.port = o->port,
		.write = write_figures,
		.arg = r,
	};
	int e;

	if (r == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	e = check_owner(why, size);
	if (e == 0) {
		e = ow_health_open(HEALTH_S, &r->health);
		if (e < 0)
			snprintf(why, size, "thread: %s", strerror(-e));
	}
	if (e == 0)
		e = ow_http_open(&h, &r->http, why, size);
	if (e < 0)
		ow_run_close(r);
	else
		*ret = r;
	return e;
}

struct ow_run *ow_run_close(struct ow_run *r)
{
	if (r == NULL)
		return NULL;
	ow_http_close(r->http);
	ow_health_close(r->health);
	ow_figures_close(&r->f);
	free(r);
	return NULL;
}

int ow_run_serve(struct ow_run *r, int stop_fd)
{
	struct pollfd p[3] = { { .fd = stop_fd, .events = POLLIN } };
	int fds[2], n = ow_http_fds(r->http, fds);

	for (int i = 0; i < n; i++)
		p[1 + i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	for (;;) {
		int ms = ow_http_patience(r->http, LOOK_MS);

		if (poll(p, (nfds_t)n + 1, ms) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents != 0)
			return 0;
		ow_http_run(r->http);
		if (ow_clock_mono_ns() < r->next_look_ns)
			continue;
		r->next_look_ns = ow_clock_mono_ns() + LOOK_MS * OW_NS_PER_MS;
		ow_figures_look(&r->f);
		ow_log_tick(ow_clock_mono_ns());
	}
}
