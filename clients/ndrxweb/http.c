/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - the web console over HTTP: its server, and the loop
 */
#include "clients/ndrxweb/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxweb/crowd.h"
#include "clients/ndrxweb/feed.h"
#include "clients/ndrxweb/listen.h"
#include "clients/ndrxweb/route.h"
#include "clients/ndrxweb/run.h"
#include "clients/ndrxweb/stream.h"
#include "libatmi/base/clock.h"

#define IDLE_S	    60u
#define LOOK_MS	    1000

struct ow_web {
	struct ow_site site;
	struct MHD_Daemon *daemon;
	struct ow_crowd *crowd;
	char *cert, *key; /* their texts */
};

static char *read_text(const char *path, char *why, size_t size)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (f == NULL || getdelim(&text, &room, '\0', f) <= 0) {
		snprintf(why, size, "%s: %s", path,
			 f == NULL ? strerror(errno) : "it is empty");
		free(text);
		text = NULL;
	}
	if (f != NULL)
		fclose(f);
	return text;
}

static struct MHD_Daemon *start(struct ow_web *w, int fd)
{
	unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			     (w->site.tls ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, w->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, w->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)(uintptr_t)"NORMAL:-VERS-ALL:+VERS-TLS1.2:"
				     "+VERS-TLS1.3" },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

	return MHD_start_daemon(flags, 0, NULL, NULL, ow_route_answer,
				&w->site,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, OW_CROWD_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				MHD_OPTION_NOTIFY_COMPLETED, ow_route_end,
				&w->site,
				MHD_OPTION_NOTIFY_CONNECTION, ow_crowd_notify,
				w->crowd,
				MHD_OPTION_ARRAY, w->site.tls ? tls : none,
				MHD_OPTION_END);
}

int ow_web_open(const struct ow_web_options *o, struct ow_feed *feed,
		struct ow_sessions *sessions, struct ow_web **ret, char *why,
		size_t size)
{
	struct ow_web *w = calloc(1, sizeof(*w));
	int fd;

	if (w == NULL)
		return -ENOMEM;
	w->crowd = ow_crowd_new();
	w->site = (struct ow_site){ .feed = feed,
				    .sessions = sessions,
				    .streams = ow_streams_new(feed),
				    .runs = ow_runs_new(o->limit_s),
				    .limit_s = o->limit_s,
				    .tls = o->cert[0] != '\0' };
	if (w->site.tls) {
		w->cert = read_text(o->cert, why, size);
		w->key = w->cert != NULL ? read_text(o->key, why, size) : NULL;
	}
	if (w->crowd == NULL || w->site.streams == NULL ||
	    w->site.runs == NULL ||
	    (w->site.tls && w->key == NULL)) {
		ow_web_close(w);
		return -EINVAL;
	}
	fd = ow_web_listen(o->address, o->port, !w->site.tls, why, size);
	w->daemon = fd >= 0 ? start(w, fd) : NULL;
	if (w->daemon == NULL) {
		if (fd >= 0) {
			close(fd);
			snprintf(why, size, "the HTTP server does not start%s",
				 w->site.tls ? ": are certificate and key good?"
					: "");
		}
		ow_web_close(w);
		return fd < 0 ? fd : -EIO;
	}
	*ret = w;
	return 0;
}

struct ow_web *ow_web_close(struct ow_web *w)
{
	if (w == NULL)
		return NULL;
	ow_streams_end(w->site.streams);
	if (w->site.runs != NULL)
		ow_runs_end(w->site.runs, ow_route_tell);
	if (w->daemon != NULL)
		MHD_stop_daemon(w->daemon);
	ow_streams_free(w->site.streams);
	ow_runs_free(w->site.runs);
	ow_crowd_free(w->crowd);
	free(w->cert);
	if (w->key != NULL)
		explicit_bzero(w->key, strlen(w->key));
	free(w->key);
	free(w);
	return NULL;
}

/* Milliseconds until something is to be done: a look at `next`, MHD, orders. */
static int wait_of(const struct ow_web *w, uint64_t next, uint64_t now)
{
	int wait = LOOK_MS;
	MHD_UNSIGNED_LONG_LONG ms;

	if (ow_streams_any(w->site.streams))
		wait = next > now ? (int)((next - now) / OW_NS_PER_MS) + 1 : 0;
	if (MHD_get_timeout(w->daemon, &ms) == MHD_YES &&
	    ms < (MHD_UNSIGNED_LONG_LONG)wait)
		wait = (int)ms;
	return ow_runs_wait(w->site.runs, wait);
}

int ow_web_run(struct ow_web *w, int stop_fd)
{
	const union MHD_DaemonInfo *info =
	    MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[3] = { { .fd = stop_fd, .events = POLLIN },
			       { .fd = info != NULL ? info->epoll_fd : -1,
				 .events = POLLIN },
			       { .fd = ow_runs_fd(w->site.runs),
				 .events = POLLIN } };
	uint64_t now, next = 0;

	for (;;) {
		now = ow_clock_mono_ns();
		/* Nobody looks: neither do we. */
		if (now >= next && ow_streams_any(w->site.streams)) {
			next = now + LOOK_MS * OW_NS_PER_MS;
			(void)ow_feed_look(w->site.feed);
			ow_streams_wake(w->site.streams);
			now = ow_clock_mono_ns();
		}
		if (poll(p, 3, wait_of(w, next, now)) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents != 0)
			return 0;
		ow_runs_step(w->site.runs, ow_route_tell);
		MHD_run(w->daemon);
	}
}
