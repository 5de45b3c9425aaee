/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxweb: the console of a domain in a browser
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxweb/feed.h"
#include "clients/ndrxweb/http.h"
#include "clients/ndrxweb/session.h"
#include "libatmi/base/env.h"
#include "libatmi/base/ports.h"
#include "libatmi/base/signals.h"
#include "libatmi/domain/gate.h"
#include "libatmi/member/join.h"
#include "libndrx/observe/observer.h"
#include "libubf/base/about.h"
#include "libubf/base/standard.h"

#define PORT	9480
#define LIMIT_S 120

static const char usage[] =
    "usage: ndrxweb [-p [ADDRESS:]PORT] [-u FILE] [-c CERTIFICATE -k KEY]\n"
    "               [-t SECONDS]\n"
    "\n"
    "The console of the domain that NDRX_QPREFIX names, for a browser.\n"
    "`xadmin passwd -w -r look NAME` lets somebody in.\n"
    "\n"
    "  -p [ADDRESS:]PORT  of 127.0.0.1 unless an address is given (9480)\n"
    "  -u FILE  the users ($NDRX_APPHOME/conf/web.users)\n"
    "  -c, -k   certificate and key (PEM) for HTTPS; without them only\n"
    "           addresses that no other machine reaches\n"
    "  -t SECONDS  what an order may take (120)\n";

static bool take_port(const char *text, struct ow_web_options *o)
{
	if (ow_port_parse(text, o->address, sizeof(o->address), &o->port))
		return true;
	fprintf(stderr, "ndrxweb: -p %s: give a port from 1 to 65535, or an "
		"address and a port\n", text);
	return false;
}

static bool take_limit(const char *text, struct ow_web_options *o)
{
	long n;

	if (ow_env_parse_long(text, &n) < 0 || n < 1 || n > 3600) {
		fprintf(stderr, "ndrxweb: -t %s: give seconds from 1 to 3600\n",
			text);
		return false;
	}
	o->limit_s = (unsigned int)n;
	return true;
}

static int parse(int argc, char **argv, struct ow_web_options *o)
{
	const char *home = ow_env_str("NDRX_APPHOME", NULL);
	int opt;

	if (home != NULL)
		snprintf(o->users, sizeof(o->users), "%s/conf/web.users", home);
	while ((opt = getopt(argc, argv, "p:u:c:k:t:h")) != -1) {
		if (opt == 'p' && !take_port(optarg, o))
			return 2;
		else if (opt == 't' && !take_limit(optarg, o))
			return 2;
		else if (opt == 'u')
			snprintf(o->users, sizeof(o->users), "%s", optarg);
		else if (opt == 'c')
			snprintf(o->cert, sizeof(o->cert), "%s", optarg);
		else if (opt == 'k')
			snprintf(o->key, sizeof(o->key), "%s", optarg);
		else if (opt == 'h' || opt == '?') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? -1 : 2;
		}
	}
	if (optind < argc || (o->cert[0] == '\0') != (o->key[0] == '\0') ||
	    o->users[0] == '\0') {
		fputs(o->users[0] == '\0'
			  ? "ndrxweb: NDRX_APPHOME is not set: -u is needed\n"
			  : usage, stderr);
		return 2;
	}
	return 0;
}

/* Another user's domain would be shown as none. */
static int check_owner(char *why, size_t size)
{
	struct ow_domain d;

	if (ow_gate_is_asked()) {
		snprintf(why, size, "NDRX_OWNER: guests use xadmin and "
			 "ndrxtop; the domain's user runs ndrxweb");
		return -EPERM;
	}
	return ow_domain_read_env(&d, why, size) == 0 &&
		       ow_observer_foreign(&d, why, size)
		   ? -EPERM
		   : 0;
}

static int serve(const struct ow_web_options *o, char *why, size_t size)
{
	struct ow_sessions *sessions = ow_sessions_new(o->users);
	struct ow_feed *feed = NULL;
	struct ow_web *web = NULL;
	int r = -ENOMEM, fd = ow_signals_catch();

	if (sessions != NULL && fd >= 0)
		r = check_owner(why, size);
	if (r == 0)
		r = ow_feed_open(&feed, why, size);
	if (r == 0)
		r = ow_web_open(o, feed, sessions, &web, why, size);
	if (r == 0) {
		printf("ndrxweb: %s://%s%s%s:%u/\n",
		       o->cert[0] != '\0' ? "https" : "http",
		       strchr(o->address, ':') ? "[" : "", o->address,
		       strchr(o->address, ':') ? "]" : "", o->port);
		fflush(stdout);
		r = ow_web_run(web, fd);
	}
	ow_web_close(web);
	ow_feed_close(feed);
	ow_sessions_free(sessions);
	return r;
}

int main(int argc, char **argv)
{
	struct ow_web_options o = { .address = "127.0.0.1", .port = PORT,
				    .limit_s = LIMIT_S };
	char why[1024] = "no memory";
	int r;

	ow_standard_fill();
	if (ow_about_text(argc, argv, "ndrxweb", usage))
		return 0;
	r = parse(argc, argv, &o);
	if (r != 0)
		return r < 0 ? 0 : r;
	r = serve(&o, why, sizeof(why));
	if (r < 0)
		fprintf(stderr, "ndrxweb: %s\n", why);
	return r == 0 ? 0 : 1;
}
