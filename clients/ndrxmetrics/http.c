/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - serve GET /metrics on a Unix socket and on a TCP port
 */
#include "clients/ndrxmetrics/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/ndrxmetrics/listen.h"
#include "libndrx/figures/text.h"
#include "libatmi/base/clock.h"

#define CONNECTIONS 64u
#define CROWD	    48u /* from here on one gives way for each new one */
#define PER_PEER    32u /* so does one of a peer that has more than this */
#define IDLE_S	    5u
#define TOTAL_MS    5000u
#define CONTENT	    "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* A connection from its beginning to its end. Connections of one host, or of
 * one process on the Unix socket, have the same `from`. */
struct peer {
	int fd; /* -1: free */
	uint64_t begin_ns; /* UINT64_MAX: cut off */
	unsigned char from[16];
};

struct ow_http {
	struct ow_http_options o;
	struct peer peers[2 * CONNECTIONS]; /* of both sides */
	unsigned int n_peers;
	int lock_fd; /* of the socket's name */
	struct MHD_Daemon *unix_side, *tcp_side;
};

/* ---- replies ---- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned int status,
			     struct MHD_Response *r, const char *type)
{
	enum MHD_Result done;

	if (r == NULL)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	/* One request each: its time is that of the connection. */
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	done = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return done;
}

static enum MHD_Result reply_text(struct MHD_Connection *c,
				  unsigned int status, const char *text)
{
	return reply(c, status,
		     MHD_create_response_from_buffer(strlen(text),
						     (void *)(uintptr_t)text,
						     MHD_RESPMEM_PERSISTENT),
		     "text/plain; charset=utf-8");
}

static enum MHD_Result reply_figures(struct ow_http *h,
				     struct MHD_Connection *c)
{
	struct ow_text t = { .len = 0 };

	h->o.write(h->o.arg, &t);
	if (t.failed) {
		ow_text_clear(&t);
		return reply_text(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "no memory\n");
	}
	return reply(c, MHD_HTTP_OK,
		     MHD_create_response_from_buffer(t.len, t.bytes,
						     MHD_RESPMEM_MUST_FREE),
		     CONTENT);
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *data,
			      size_t *data_size, void **state)
{
	(void)version;
	(void)data;
	if (*state == NULL) { /* only the head has come */
		*state = arg;
		return MHD_YES;
	}
	if (*data_size != 0) {
		*data_size = 0; /* ignore a body */
		return MHD_YES;
	}
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return reply_text(c, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "GET /metrics\n");
	if (strcmp(url, "/metrics") != 0)
		return reply_text(c, MHD_HTTP_NOT_FOUND, "GET /metrics\n");
	return reply_figures(arg, c);
}

/* ---- connections ---- */

/* MHD sees the end of its input, and closes. */
static void cut_off(struct peer *p)
{
	if (p->fd >= 0)
		shutdown(p->fd, SHUT_RDWR);
	p->begin_ns = UINT64_MAX; /* not again */
}

static bool is_open(const struct peer *p)
{
	return p->fd >= 0 && p->begin_ns != UINT64_MAX;
}

/* The open connections of this origin; *ret_oldest is one of them. */
static unsigned int count_from(struct ow_http *h, const unsigned char *from,
			       struct peer **ret_oldest)
{
	unsigned int n = 0;
	struct peer *p;

	for (p = h->peers; p < h->peers + 2 * CONNECTIONS; p++) {
		if (!is_open(p) || memcmp(p->from, from, sizeof(p->from)) != 0)
			continue;
		if (n++ == 0 || p->begin_ns < (*ret_oldest)->begin_ns)
			*ret_oldest = p;
	}
	return n;
}

/* The oldest connection of the peer that has the most. */
static void cut_off_one(struct ow_http *h)
{
	struct peer *p, *oldest = NULL, *loser = NULL;
	unsigned int n, most = 0;

	for (p = h->peers; p < h->peers + 2 * CONNECTIONS; p++) {
		if (!is_open(p))
			continue;
		n = count_from(h, p->from, &oldest);
		if (n > most || (n == most && loser != NULL &&
				 oldest->begin_ns < loser->begin_ns)) {
			most = n;
			loser = oldest;
		}
	}
	if (loser != NULL)
		cut_off(loser);
}

static void cut_off_late(struct ow_http *h)
{
	uint64_t now = ow_clock_mono_ns();
	struct peer *p;

	for (p = h->peers; p < h->peers + 2 * CONNECTIONS; p++)
		if (is_open(p) && now > p->begin_ns &&
		    now - p->begin_ns > TOTAL_MS * OW_NS_PER_MS)
			cut_off(p);
}

/* Where a connection comes from: an address without port, or a process. */
static void find_origin(int fd, unsigned char from[16])
{
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	socklen_t n = sizeof(a);
	struct ucred cred = { 0 };

	memset(from, 0, 16);
	if (getpeername(fd, (struct sockaddr *)&a, &n) < 0)
		return;
	n = sizeof(cred);
	if (a.ss_family == AF_INET6)
		memcpy(from, &((struct sockaddr_in6 *)&a)->sin6_addr, 16);
	else if (a.ss_family == AF_INET)
		memcpy(from, &((struct sockaddr_in *)&a)->sin_addr, 4);
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) == 0)
		memcpy(from, &cred, sizeof(cred));
}

static void note_begin(struct ow_http *h, int fd, void **ret)
{
	struct peer *p = h->peers, *oldest = NULL;

	while (p < h->peers + 2 * CONNECTIONS && p->fd >= 0)
		p++;
	if (p == h->peers + 2 * CONNECTIONS)
		return; /* MHD has as many at most */
	find_origin(fd, p->from);
	if (count_from(h, p->from, &oldest) >= PER_PEER)
		cut_off(oldest);
	else if (h->n_peers >= CROWD)
		cut_off_one(h);
	h->n_peers++;
	p->fd = fd;
	p->begin_ns = ow_clock_mono_ns();
	*ret = p;
}

static void on_connection(void *arg, struct MHD_Connection *c, void **own,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct ow_http *h = arg;
	struct peer *p = *own;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(
		    c, MHD_CONNECTION_INFO_CONNECTION_FD);
		if (info != NULL)
			note_begin(h, info->connect_fd, own);
	} else if (p != NULL) {
		p->fd = -1;
		h->n_peers--;
	}
}

/* ---- sockets ---- */

static struct MHD_Daemon *start(struct ow_http *h, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, h,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
				MHD_OPTION_END);
}

static int open_unix(struct ow_http *h, char *why, size_t size)
{
	int fd = ow_listen_unix(h->o.socket, &h->lock_fd);

	if (fd < 0) {
		snprintf(why, size, "%s: %s", h->o.socket,
			 fd == -EADDRINUSE ? "another process serves this socket"
			 : fd == -ENAMETOOLONG
			     ? "a socket's path has 107 characters at most; -s "
			       "names another"
			     : strerror(-fd));
		return fd;
	}
	h->unix_side = start(h, fd);
	if (h->unix_side != NULL)
		return 0;
	close(fd);
	unlink(h->o.socket);
	snprintf(why, size, "%s: the HTTP server does not start", h->o.socket);
	return -EIO;
}

static int open_tcp(struct ow_http *h, char *why, size_t size)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *a = NULL;
	char port[8];
	int fd, r;

	snprintf(port, sizeof(port), "%u", h->o.port);
	r = getaddrinfo(h->o.address, port, &hints, &a);
	if (r != 0) {
		snprintf(why, size, "%s: %s: give an address in numbers",
			 h->o.address, gai_strerror(r));
		return -EINVAL;
	}
	fd = ow_listen_tcp(a);
	freeaddrinfo(a);
	h->tcp_side = fd >= 0 ? start(h, fd) : NULL;
	if (h->tcp_side != NULL)
		return 0;
	if (fd >= 0)
		close(fd);
	r = fd < 0 ? fd : -EIO;
	snprintf(why, size, "%s:%u: %s", h->o.address, h->o.port,
		 strerror(-r));
	return r;
}

int ow_http_open(const struct ow_http_options *o, struct ow_http **ret,
		 char *why, size_t size)
{
	struct ow_http *h = calloc(1, sizeof(*h));
	unsigned int i;
	int r = 0;

	if (h == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	h->o = *o;
	h->lock_fd = -1;
	for (i = 0; i < 2 * CONNECTIONS; i++)
		h->peers[i].fd = -1;
	if (o->socket != NULL)
		r = open_unix(h, why, size);
	if (r == 0 && o->port != 0)
		r = open_tcp(h, why, size);
	if (r < 0)
		ow_http_close(h);
	else
		*ret = h;
	return r;
}

struct ow_http *ow_http_close(struct ow_http *h)
{
	if (h == NULL)
		return NULL;
	if (h->unix_side != NULL)
		unlink(h->o.socket);
	if (h->lock_fd >= 0)
		ow_listen_unlock(h->o.socket, h->lock_fd);
	if (h->unix_side != NULL)
		MHD_stop_daemon(h->unix_side);
	if (h->tcp_side != NULL)
		MHD_stop_daemon(h->tcp_side);
	free(h);
	return NULL;
}

int ow_http_fds(const struct ow_http *h, int fds[2])
{
	struct MHD_Daemon *const sides[] = { h->unix_side, h->tcp_side };
	const union MHD_DaemonInfo *info;
	int n = 0;

	for (size_t i = 0; i < 2; i++) {
		if (sides[i] == NULL)
			continue;
		info = MHD_get_daemon_info(sides[i],
					   MHD_DAEMON_INFO_EPOLL_FD);
		if (info != NULL)
			fds[n++] = info->epoll_fd;
	}
	return n;
}

int ow_http_patience(const struct ow_http *h, int max_ms)
{
	struct MHD_Daemon *const sides[] = { h->unix_side, h->tcp_side };

	for (size_t i = 0; i < 2; i++) {
		MHD_UNSIGNED_LONG_LONG ms;

		if (sides[i] != NULL &&
		    MHD_get_timeout(sides[i], &ms) == MHD_YES &&
		    ms < (MHD_UNSIGNED_LONG_LONG)max_ms)
			max_ms = (int)ms;
	}
	return max_ms;
}

void ow_http_run(struct ow_http *h)
{
	cut_off_late(h);
	if (h->unix_side != NULL)
		MHD_run(h->unix_side);
	if (h->tcp_side != NULL)
		MHD_run(h->tcp_side);
}
