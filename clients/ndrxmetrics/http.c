/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - serve GET /metrics on a Unix socket and on a TCP port
 */
#include "clients/ndrxmetrics/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/ndrxmetrics/text.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/clock.h"

#define CONNECTIONS 64u
#define CROWD	    48u /* from here on the oldest gives way */
#define IDLE_S	    5u
#define TOTAL_MS    5000u
#define CONTENT	    "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* A connection from its beginning to its end. */
struct peer {
	int fd; /* -1: free */
	uint64_t begin_ns;
};

struct ow_http {
	struct ow_http_options o;
	struct peer peers[2 * CONNECTIONS]; /* of both sides */
	unsigned int n_peers;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
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

static void cut_off_oldest(struct ow_http *h)
{
	struct peer *p, *oldest = NULL;

	for (p = h->peers; p < h->peers + 2 * CONNECTIONS; p++)
		if (p->fd >= 0 &&
		    (oldest == NULL || p->begin_ns < oldest->begin_ns))
			oldest = p;
	if (oldest != NULL)
		cut_off(oldest);
}

static void cut_off_late(struct ow_http *h)
{
	uint64_t now = ow_clock_mono_ns();
	struct peer *p;

	for (p = h->peers; p < h->peers + 2 * CONNECTIONS; p++)
		if (p->fd >= 0 && now > p->begin_ns &&
		    now - p->begin_ns > TOTAL_MS * OW_NS_PER_MS)
			cut_off(p);
}

static void note_begin(struct ow_http *h, int fd, void **ret)
{
	struct peer *p = h->peers;

	while (p < h->peers + 2 * CONNECTIONS && p->fd >= 0)
		p++;
	if (p == h->peers + 2 * CONNECTIONS)
		return; /* MHD has as many at most */
	if (++h->n_peers > CROWD)
		cut_off_oldest(h);
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

/* Does another process accept connections on the socket? */
static int is_served(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return 0;
	r = connect(fd, (const struct sockaddr *)a, sizeof(*a));
	r = r == 0 || errno == EAGAIN;
	close(fd);
	return r;
}

/* A listening socket for this user alone; the descriptor or -errno. */
static int listen_unix(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t old;
	int fd, r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	if (is_served(&a))
		return -EADDRINUSE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    ow_owned_by_us(st.st_uid))
		unlink(path); /* left by a dead process */
	old = umask(0177);
	r = bind(fd, (const struct sockaddr *)&a, sizeof(a));
	umask(old);
	if (r == 0)
		r = listen(fd, (int)CONNECTIONS);
	if (r == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

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
	int fd = listen_unix(h->o.socket);

	if (fd < 0) {
		snprintf(why, size, "%s: %s", h->o.socket,
			 fd == -EADDRINUSE ? "another process serves this socket"
			 : fd == -ENAMETOOLONG
			     ? "a socket's path has 107 characters at most; -s "
			       "names another"
			     : strerror(-fd));
		return fd;
	}
	snprintf(h->path, sizeof(h->path), "%s", h->o.socket);
	h->unix_side = start(h, fd);
	if (h->unix_side != NULL)
		return 0;
	close(fd);
	snprintf(why, size, "%s: the HTTP server does not start", h->o.socket);
	return -EIO;
}

/* The descriptor or -errno. */
static int listen_tcp(const struct addrinfo *a)
{
	int fd = socket(a->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r, on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 &&
	    listen(fd, (int)CONNECTIONS) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
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
		snprintf(why, size, "%s: %s: want an address in numbers",
			 h->o.address, gai_strerror(r));
		return -EINVAL;
	}
	fd = listen_tcp(a);
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
	if (h->path[0] != '\0')
		unlink(h->path);
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
