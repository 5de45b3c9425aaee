/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - the web console over HTTP: routes, cookies, headers
 *
 * What keeps others out: a login for all but the page itself, which has nothing
 * of the domain; a cookie that scripts cannot read and that other sites cannot
 * send; a second token in a header for what changes something; names of this
 * machine only, so that no name of somebody else leads here; a policy that lets
 * the page load and run its own files only.
 */
#include "clients/ndrxweb/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/ndrxweb/feed.h"
#include "clients/ndrxweb/listen.h"
#include "clients/ndrxweb/order.h"
#include "clients/ndrxweb/page.h"
#include "clients/ndrxweb/reply.h"
#include "clients/ndrxweb/session.h"
#include "clients/ndrxweb/stream.h"
#include "clients/ndrxweb/text.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/history.h"
#include "libatmi/member/join.h"

#define CONNECTIONS 256u
#define IDLE_S	    60u
#define BODY_MAX    4096u
#define LOOK_MS	    1000
#define COOKIE	    "ow_session"

struct ow_web {
	struct ow_feed *feed;
	struct ow_sessions *sessions;
	struct ow_streams *streams;
	struct MHD_Daemon *daemon;
	char *cert, *key; /* their texts */
	bool tls;
	struct ow_web_order order;
	struct MHD_Connection *orderer; /* waits for its end; NULL: nobody */
};

/* A request: its body. */
struct request {
	size_t n;
	bool too_long;
	bool ordered; /* it waits for the end of its order */
	char body[BODY_MAX + 1];
};

/* ---- replies ---- */

static enum MHD_Result reply(const struct ow_web *w, struct MHD_Connection *c,
			     unsigned int status, const char *type,
			     struct MHD_Response *r)
{
	return ow_web_reply(c, w->tls, status, type, r);
}

static enum MHD_Result reply_text(const struct ow_web *w,
				  struct MHD_Connection *c, unsigned int status,
				  const char *text)
{
	return reply(w, c, status, "text/plain; charset=utf-8",
		     MHD_create_response_from_buffer(strlen(text),
						     (void *)(uintptr_t)text,
						     MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result reply_session(const struct ow_web *w,
				     struct MHD_Connection *c,
				     const struct ow_session *v, bool set)
{
	char text[256], cookie[256];
	struct MHD_Response *r;
	char *copy = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&copy, &n);

	if (out == NULL)
		return MHD_NO;
	fputs("{\"user\":", out);
	ow_web_string(out, v->user);
	snprintf(text, sizeof(text), ",\"role\":\"%s\",\"token\":\"%s\"}",
		 ow_role_name(v->role), v->forgery);
	fputs(text, out);
	fclose(out);
	r = MHD_create_response_from_buffer(n, copy, MHD_RESPMEM_MUST_FREE);
	snprintf(cookie, sizeof(cookie),
		 COOKIE "=%s; HttpOnly; SameSite=Strict; Path=/; "
			"Max-Age=28800%s", v->token, w->tls ? "; Secure" : "");
	if (r != NULL && set)
		MHD_add_response_header(r, MHD_HTTP_HEADER_SET_COOKIE, cookie);
	return reply(w, c, MHD_HTTP_OK, "application/json", r);
}

/* ---- who asks ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static struct ow_session *session_of(struct ow_web *w, struct MHD_Connection *c)
{
	const char *token =
	    MHD_lookup_connection_value(c, MHD_COOKIE_KIND, COOKIE);

	return token != NULL ? ow_session_find(w->sessions, token) : NULL;
}

/* Without TLS: does the name that the browser asked for mean this machine? */
static bool name_is_ours(const struct ow_web *w, struct MHD_Connection *c)
{
	static const char *const names[] = { "127.0.0.1", "localhost",
					     "[::1]" };
	const char *host = header(c, MHD_HTTP_HEADER_HOST);
	size_t i, n;

	if (w->tls)
		return true;
	for (i = 0; host != NULL && i < sizeof(names) / sizeof(*names); i++) {
		n = strlen(names[i]);
		if (strncasecmp(host, names[i], n) == 0 &&
		    (host[n] == '\0' || host[n] == ':'))
			return true;
	}
	return false;
}

/* A request that changes something comes from the page itself. */
static bool is_from_page(struct MHD_Connection *c)
{
	const char *origin = header(c, "Origin");
	const char *host = header(c, MHD_HTTP_HEADER_HOST);
	const char *slashes = origin != NULL ? strstr(origin, "//") : NULL;

	return origin == NULL ||
	       (slashes != NULL && host != NULL &&
		strcmp(slashes + 2, host) == 0);
}

static void address_of(struct MHD_Connection *c, char buf[64])
{
	const union MHD_ConnectionInfo *i =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	buf[0] = '\0';
	if (i == NULL || i->client_addr == NULL)
		return;
	if (i->client_addr->sa_family == AF_INET)
		inet_ntop(AF_INET,
			  &((struct sockaddr_in *)i->client_addr)->sin_addr,
			  buf, 64);
	else if (i->client_addr->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((struct sockaddr_in6 *)i->client_addr)->sin6_addr,
			  buf, 64);
}

/* ndrxd does not hear of changed logs: it is written into the history here. */
static void note_level(const char *user, const char *level)
{
	struct ow_event e = { .kind = OW_EVENT_COMMAND,
			      .pid = (int32_t)getpid() };
	struct ow_domain d;
	char why[256];

	snprintf(e.who, sizeof(e.who), "ndrxweb");
	snprintf(e.text, sizeof(e.text), "log level %s of all, by %s", level,
		 user);
	if (ow_domain_read_env(&d, why, sizeof(why)) == 0)
		(void)ow_history_append(&d, &e);
}

/* ---- routes ---- */

static enum MHD_Result do_login(struct ow_web *w, struct MHD_Connection *c,
				struct request *q)
{
	char user[32], password[128], from[64];
	struct ow_session *v = NULL;
	bool good = ow_web_form(q->body, "user", user, sizeof(user)) &&
		    ow_web_form(q->body, "password", password,
				sizeof(password));
	int r = OW_LOGIN_WRONG;

	if (!is_from_page(c))
		return reply_text(w, c, MHD_HTTP_FORBIDDEN, "another site\n");
	address_of(c, from);
	if (good)
		r = ow_session_login(w->sessions, from, user, password, &v);
	explicit_bzero(password, sizeof(password));
	explicit_bzero(q->body, sizeof(q->body));
	if (r == 0)
		return reply_session(w, c, v, true);
	if (r == OW_LOGIN_WRONG)
		return reply_text(w, c, MHD_HTTP_UNAUTHORIZED,
				  "no such user, or another password\n");
	if (r == OW_LOGIN_LATER)
		return reply_text(w, c, MHD_HTTP_TOO_MANY_REQUESTS,
				  "too many tries: wait, and try again\n");
	if (r == OW_LOGIN_BLIND)
		return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "libsodium23 is not installed\n");
	if (r == OW_LOGIN_CROWD)
		return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "too many are logged in\n");
	return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
			  r == -ENOENT ? "there is no user yet: `xadmin passwd "
					 "-w -r look NAME` makes one\n"
				       : "the file of users cannot be read\n");
}

static enum MHD_Result do_logout(struct ow_web *w, struct MHD_Connection *c,
				 struct ow_session *v)
{
	const char *token = header(c, "X-Token");

	if (!is_from_page(c) || token == NULL ||
	    !ow_session_same(v->forgery, token))
		return reply_text(w, c, MHD_HTTP_FORBIDDEN, "no token\n");
	ow_session_end(v);
	return reply_text(w, c, MHD_HTTP_OK, "logged out\n");
}

/* The output of the order, with its outcome in the status. */
static enum MHD_Result reply_order(struct ow_web *w, struct MHD_Connection *c)
{
	const struct ow_web_order *o = &w->order;

	return reply(w, c, o->status == 0 ? MHD_HTTP_OK
					  : MHD_HTTP_UNPROCESSABLE_CONTENT,
		     "text/plain; charset=utf-8",
		     MHD_create_response_from_buffer(
			 o->n, (void *)(uintptr_t)o->output,
			 MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result do_order(struct ow_web *w, struct MHD_Connection *c,
				const struct ow_session *v, struct request *q)
{
	const char *token = header(c, "X-Token");
	char verb[16], what[64];
	int r;

	if (!is_from_page(c) || token == NULL ||
	    !ow_session_same(v->forgery, token))
		return reply_text(w, c, MHD_HTTP_FORBIDDEN, "no token\n");
	if (v->role != OW_ROLE_ADMIN)
		return reply_text(w, c, MHD_HTTP_FORBIDDEN,
				  "the role admin is needed\n");
	r = ow_web_form(q->body, "verb", verb, sizeof(verb)) &&
			    ow_web_form(q->body, "what", what, sizeof(what))
		? ow_order_begin(&w->order, v->user, verb, what)
		: -EINVAL;
	if (r == -EINVAL)
		return reply_text(w, c, MHD_HTTP_BAD_REQUEST,
				  "no such order\n");
	if (r == -EBUSY)
		return reply_text(w, c, MHD_HTTP_CONFLICT,
				  "another order is under way\n");
	if (r < 0)
		return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "no process\n");
	if (strcmp(verb, "log") == 0)
		note_level(v->user, what);
	q->ordered = true;
	w->orderer = c;
	MHD_suspend_connection(c);
	return MHD_YES;
}

static const char *argument(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static uint64_t number(struct MHD_Connection *c, const char *name)
{
	const char *v = argument(c, name);

	return v != NULL ? strtoull(v, NULL, 10) : 0;
}

/* What the request wants to see: false, there is no such screen. */
static bool view_of(struct MHD_Connection *c, struct ow_feed_view *ret)
{
	const char *screen = argument(c, "screen");

	ret->svc = (uint32_t)number(c, "svc");
	ret->srvid = (uint32_t)number(c, "srvid");
	return screen != NULL && ow_feed_screen(screen, &ret->screen);
}

static enum MHD_Result reply_feed(const struct ow_web *w,
				  struct MHD_Connection *c,
				  struct ow_feed_text *t)
{
	enum MHD_Result done;

	if (t == NULL)
		return MHD_NO;
	done = reply(w, c, MHD_HTTP_OK, "application/json",
		     MHD_create_response_from_buffer(t->n, t->bytes,
						     MHD_RESPMEM_MUST_COPY));
	ow_feed_release(t);
	return done;
}

/* A reason that lies on the stack. */
static enum MHD_Result reply_why(const struct ow_web *w,
				 struct MHD_Connection *c, const char *why)
{
	return reply(w, c, MHD_HTTP_NOT_FOUND, "text/plain; charset=utf-8",
		     MHD_create_response_from_buffer(strlen(why),
						     (void *)(uintptr_t)why,
						     MHD_RESPMEM_MUST_COPY));
}

/* From when to when the black box has records, in milliseconds; null: there is
 * none. */
static enum MHD_Result get_span(struct ow_web *w, struct MHD_Connection *c)
{
	char text[128] = "null", why[512];
	uint64_t first, last;

	if (ow_feed_span(w->feed, &first, &last, why, sizeof(why)))
		snprintf(text, sizeof(text), "{\"first\":%llu,\"last\":%llu}",
			 (unsigned long long)(first / OW_NS_PER_MS),
			 (unsigned long long)(last / OW_NS_PER_MS));
	return reply(w, c, MHD_HTTP_OK, "application/json",
		     MHD_create_response_from_buffer(strlen(text), text,
						     MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result get_past(struct ow_web *w, struct MHD_Connection *c)
{
	uint64_t at = number(c, "at") * OW_NS_PER_MS;
	struct ow_feed_view view;
	struct ow_feed_text *t;
	char why[512];

	if (!view_of(c, &view))
		return reply_text(w, c, MHD_HTTP_NOT_FOUND,
				  "no such screen\n");
	t = ow_feed_past(w->feed, at, &view, why, sizeof(why));
	return t != NULL ? reply_feed(w, c, t) : reply_why(w, c, why);
}

static enum MHD_Result get_stream(struct ow_web *w, struct MHD_Connection *c,
				  struct ow_session *v)
{
	struct ow_feed_view view;

	if (!view_of(c, &view))
		return reply_text(w, c, MHD_HTTP_NOT_FOUND,
				  "no such screen\n");
	if (!ow_streams_room(w->streams))
		return reply_text(w, c, MHD_HTTP_TOO_MANY_REQUESTS,
				  "too many streams\n");
	return reply(w, c, MHD_HTTP_OK, "text/event-stream",
		     ow_stream_response(w->streams, c, v, &view));
}

static enum MHD_Result route(struct ow_web *w, struct MHD_Connection *c,
			     const char *url, bool post, struct request *q)
{
	const struct ow_page *page = post ? NULL : ow_page_find(url);
	struct ow_session *v;

	if (!name_is_ours(w, c))
		return reply_text(w, c, 421 /* misdirected */,
				  "ask for localhost\n");
	if (q->too_long)
		return reply_text(w, c, MHD_HTTP_CONTENT_TOO_LARGE,
				  "too long\n");
	if (page != NULL)
		return reply(w, c, MHD_HTTP_OK, page->type,
			     MHD_create_response_from_buffer(
				 page->n, (void *)(uintptr_t)page->bytes,
				 MHD_RESPMEM_PERSISTENT));
	if (post && strcmp(url, "/api/login") == 0)
		return do_login(w, c, q);
	v = session_of(w, c);
	if (v == NULL)
		return reply_text(w, c, MHD_HTTP_UNAUTHORIZED, "log in\n");
	if (post && strcmp(url, "/api/logout") == 0)
		return do_logout(w, c, v);
	if (post && strcmp(url, "/api/order") == 0)
		return do_order(w, c, v, q);
	if (!post && strcmp(url, "/api/me") == 0)
		return reply_session(w, c, v, false);
	if (!post && strcmp(url, "/api/screens") == 0)
		return reply_feed(w, c, ow_feed_screens());
	if (!post && strcmp(url, "/api/span") == 0)
		return get_span(w, c);
	if (!post && strcmp(url, "/api/past") == 0)
		return get_past(w, c);
	if (!post && strcmp(url, "/api/stream") == 0)
		return get_stream(w, c, v);
	return reply_text(w, c, MHD_HTTP_NOT_FOUND, "there is no such thing\n");
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *data,
			      size_t *data_size, void **state)
{
	struct request *q = *state;
	bool post = strcmp(method, "POST") == 0;

	(void)version;
	if (q == NULL) { /* only the head has come */
		*state = calloc(1, sizeof(*q));
		return *state != NULL ? MHD_YES : MHD_NO;
	}
	if (q->ordered)
		return reply_order(arg, c);
	if (*data_size != 0) {
		if (q->n + *data_size > BODY_MAX)
			q->too_long = true;
		else
			memcpy(q->body + q->n, data, *data_size);
		q->n += q->too_long ? 0 : *data_size;
		*data_size = 0;
		return MHD_YES;
	}
	if (!post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return reply_text(arg, c, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "GET or POST\n");
	return route(arg, c, url, post, q);
}

static void on_end(void *arg, struct MHD_Connection *c, void **state,
		   enum MHD_RequestTerminationCode why)
{
	struct ow_web *w = arg;

	(void)why;
	if (w->orderer == c)
		w->orderer = NULL;
	free(*state);
	*state = NULL;
}

/* ---- the server ---- */

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
			     (w->tls ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, w->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, w->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)(uintptr_t)"NORMAL:-VERS-ALL:+VERS-TLS1.2:"
				     "+VERS-TLS1.3" },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

	return MHD_start_daemon(flags, 0, NULL, NULL, answer, w,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				MHD_OPTION_NOTIFY_COMPLETED, on_end, w,
				MHD_OPTION_ARRAY, w->tls ? tls : none,
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
	w->feed = feed;
	w->sessions = sessions;
	w->tls = o->cert[0] != '\0';
	w->streams = ow_streams_new(feed);
	if (w->tls) {
		w->cert = read_text(o->cert, why, size);
		w->key = w->cert != NULL ? read_text(o->key, why, size) : NULL;
	}
	if (w->streams == NULL || (w->tls && w->key == NULL)) {
		ow_web_close(w);
		return -EINVAL;
	}
	fd = ow_web_listen(o->address, o->port, !w->tls, why, size);
	w->daemon = fd >= 0 ? start(w, fd) : NULL;
	if (w->daemon == NULL) {
		if (fd >= 0) {
			close(fd);
			snprintf(why, size, "the HTTP server does not start%s",
				 w->tls ? ": are certificate and key good?"
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
	ow_streams_end(w->streams);
	if (w->orderer != NULL)
		MHD_resume_connection(w->orderer);
	if (w->daemon != NULL)
		MHD_stop_daemon(w->daemon);
	ow_streams_free(w->streams);
	free(w->cert);
	if (w->key != NULL)
		explicit_bzero(w->key, strlen(w->key));
	free(w->key);
	free(w);
	return NULL;
}

int ow_web_run(struct ow_web *w, int stop_fd)
{
	const union MHD_DaemonInfo *info =
	    MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[3] = { { .fd = stop_fd, .events = POLLIN },
			       { .fd = info != NULL ? info->epoll_fd : -1,
				 .events = POLLIN },
			       { .events = POLLIN } };
	uint64_t now, next = 0;
	MHD_UNSIGNED_LONG_LONG ms;
	int wait;

	for (;;) {
		now = ow_clock_mono_ns();
		/* Nobody looks: neither do we. */
		if (now >= next && ow_streams_any(w->streams)) {
			next = now + LOOK_MS * OW_NS_PER_MS;
			(void)ow_feed_look(w->feed);
			ow_streams_wake(w->streams);
			now = ow_clock_mono_ns();
		}
		wait = ow_streams_any(w->streams)
			   ? next > now ? (int)((next - now) / OW_NS_PER_MS) + 1
					: 0
			   : LOOK_MS;
		if (MHD_get_timeout(w->daemon, &ms) == MHD_YES &&
		    ms < (MHD_UNSIGNED_LONG_LONG)wait)
			wait = (int)ms;
		p[2].fd = w->order.pid != 0 ? w->order.fd : -1;
		if (poll(p, 3, wait) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents != 0)
			return 0;
		if (p[2].fd >= 0 && p[2].revents != 0 &&
		    ow_order_read(&w->order) && w->orderer != NULL) {
			MHD_resume_connection(w->orderer);
			w->orderer = NULL;
		}
		MHD_run(w->daemon);
	}
}
