/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line of ndrxotel, and variables of OpenTelemetry
 */
#include "clients/ndrxotel/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libubf/base/about.h"

#define MOST  1000000000 /* of the number of an option */
#define LOCAL "http://127.0.0.1:4318"
#define PARENT "parentbased_"

static int usage(void)
{
	printf("usage: ndrxotel [-e URL | -f FILE] [-n N | -N N] [-s MS] "
	       "[-w MS]\n"
	       "                [-q SPANS] [-m URL|FILE] [-i MS]\n\n"
	       "Send the spans of the domain (NDRX_QPREFIX) to a collector:\n"
	       "  -e URL    OTLP/HTTP receiver of traces (default: "
	       "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,\n"
	       "            or OTEL_EXPORTER_OTLP_ENDPOINT and /v1/traces, or "
	       LOCAL "/v1/traces)\n"
	       "  -f FILE   append them to this file, one line of JSON for "
	       "each batch\n"
	       "  -n N      of the traces in which nothing failed, send one in "
	       "N\n"
	       "  -N N      note one trace in N at all, and of the others what "
	       "failed: costs next to\n"
	       "            nothing (OTEL_TRACES_SAMPLER=traceidratio, "
	       "OTEL_TRACES_SAMPLER_ARG)\n"
	       "  -s MS     and all with a span that took so long; with -N "
	       "this span\n"
	       "  -w MS     how long a trace is collected for that (2000)\n"
	       "  -q SPANS  spans that wait for the receiver, at most (32768)"
	       "\n"
	       "  -m URL|FILE  send the figures of the domain as metrics, too "
	       "(without -e and -f:\n"
	       "            OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, or as -e with "
	       "/v1/metrics;\n"
	       "            OTEL_METRICS_EXPORTER=none: not)\n"
	       "  -i MS     so often (OTEL_METRIC_EXPORT_INTERVAL, 60000)\n");
	return OW_OTEL_HELP;
}

static int take_number(char opt, const char *text, long least, long *ret)
{
	if (ow_env_parse_long(text, ret) == 0 && *ret >= least &&
	    *ret <= MOST)
		return 0;
	fprintf(stderr, "ndrxotel: -%c %s: give a number from %ld on\n", opt,
		text, least);
	return -EINVAL;
}

static int take(int opt, struct ow_otel_options *o)
{
	long n = 0;
	int r = 0;

	switch (opt) {
	case 'e':
		snprintf(o->url, sizeof(o->url), "%s", optarg);
		return 0;
	case 'f':
		snprintf(o->file, sizeof(o->file), "%s", optarg);
		return 0;
	case 'n':
		r = take_number('n', optarg, 1, &n);
		o->wish.one_in = (uint32_t)n;
		return r;
	case 'N':
		r = take_number('N', optarg, 1, &n);
		o->noted_one_in = (uint32_t)n;
		return r;
	case 's':
		r = take_number('s', optarg, 1, &n);
		o->wish.slow_ns = (uint64_t)n * OW_NS_PER_MS;
		return r;
	case 'w':
		r = take_number('w', optarg, 1, &n);
		o->wish.hold_ns = (uint64_t)n * OW_NS_PER_MS;
		return r;
	case 'q':
		r = take_number('q', optarg, 512, &n);
		o->waiting = (uint32_t)n;
		return r;
	case 'm':
		snprintf(o->metrics, sizeof(o->metrics), "%s", optarg);
		return 0;
	case 'i':
		r = take_number('i', optarg, 100, &n);
		o->interval_ns = (uint64_t)n * OW_NS_PER_MS;
		return r;
	default:
		return opt == 'h' ? usage() : -EINVAL;
	}
}

/* The receiver that `variable` names, else that of all signals with `path`. */
static void default_url(const char *variable, const char *path, char *buf,
			size_t size)
{
	const char *own = ow_env_str(variable, "");
	const char *base = ow_env_str("OTEL_EXPORTER_OTLP_ENDPOINT", "");
	size_t len;

	if (*base == '\0')
		base = LOCAL;
	len = strlen(base);
	if (base[len - 1] == '/')
		len--;
	if (*own != '\0')
		snprintf(buf, size, "%s", own);
	else
		snprintf(buf, size, "%.*s%s", (int)len, base, path);
}

/* The sampler of OpenTelemetry's specification, where no option says which: that
 * of its SDKs chooses at the source, too. */
static void take_sampler(struct ow_otel_options *o)
{
	const char *name = ow_env_str("OTEL_TRACES_SAMPLER", "");
	const char *arg = ow_env_str("OTEL_TRACES_SAMPLER_ARG", "1");
	char *end = NULL;
	double ratio = strtod(arg, &end);
	bool parent = strncmp(name, PARENT, strlen(PARENT)) == 0;
	const char *own = parent ? name + strlen(PARENT) : name;

	if (*name == '\0' || strcmp(own, "always_on") == 0)
		return;
	if (strcmp(own, "traceidratio") != 0) {
		fprintf(stderr, "ndrxotel: OTEL_TRACES_SAMPLER=%s is not known "
			"here: all is noted\n", name);
	} else if (end == arg || *end != '\0' || !(ratio >= 0 && ratio <= 1)) {
		fprintf(stderr, "ndrxotel: OTEL_TRACES_SAMPLER_ARG=%s is no "
			"number from 0 to 1: all is noted\n", arg);
	} else {
		o->noted_one_in = ratio > 1e-9 ? (uint32_t)(1 / ratio + 0.5)
					       : MOST;
		o->wish.sampled = parent;
	}
}

static void take_defaults(struct ow_otel_options *o)
{
	long ms = 60000;

	if (o->noted_one_in == 0 && o->wish.one_in == 0)
		take_sampler(o);
	if (o->noted_one_in == 0)
		o->noted_one_in = 1;
	if (o->wish.one_in == 0)
		o->wish.one_in = 1;
	if (o->url[0] == '\0' && o->file[0] == '\0') {
		default_url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces",
			    o->url, sizeof(o->url));
		if (o->metrics[0] == '\0' &&
		    strcmp(ow_env_str("OTEL_METRICS_EXPORTER", ""), "none"))
			default_url("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
				    "/v1/metrics", o->metrics,
				    sizeof(o->metrics));
	}
	if (ow_env_parse_long(ow_env_str("OTEL_METRIC_EXPORT_INTERVAL",
					 "60000"), &ms) < 0 || ms < 100)
		ms = 60000;
	if (o->interval_ns == 0)
		o->interval_ns = (uint64_t)ms * OW_NS_PER_MS;
}

int ow_otel_options_read(int argc, char **argv, struct ow_otel_options *ret)
{
	struct ow_otel_options o = { .waiting = 32768 };
	int opt, r = 0;

	o.wish = (struct ow_otel_wish){ .hold_ns = 2 * OW_NS_PER_SEC,
					.most = 65536 };
	switch (ow_about(argc, argv, "ndrxotel")) {
	case OW_ABOUT_HELP:
		return usage();
	case OW_ABOUT_VERSION:
		return OW_OTEL_HELP;
	case OW_ABOUT_NONE:
		break;
	}
	while (r == 0 && (opt = getopt(argc, argv, "e:f:n:N:s:w:q:m:i:h")) != -1)
		r = take(opt, &o);
	if (r == 0 && (optind < argc || (o.url[0] != '\0' && o.file[0] != '\0'))) {
		fprintf(stderr, "ndrxotel: give options only, and -e or -f\n");
		r = -EINVAL;
	}
	if (r == 0 && o.noted_one_in != 0 && o.wish.one_in != 0) {
		fprintf(stderr, "ndrxotel: give -n or -N\n");
		r = -EINVAL;
	}
	if (r != 0)
		return r;
	take_defaults(&o);
	*ret = o;
	return 0;
}
