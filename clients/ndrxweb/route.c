/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.c - what each address of the web console answers
 *
 * What keeps others out: a login for all but the page itself, which has nothing
 * of the domain; a cookie that scripts cannot read and that other sites cannot
 * send; a second token in a header for what changes something; names of this
 * machine only, so that no name of somebody else leads here; a policy that lets
 * the page load and run its own files only.
 */
#include "clients/ndrxweb/route.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxweb/crowd.h"
#include "clients/ndrxweb/door.h"
#include "clients/ndrxweb/feed.h"
#include "clients/ndrxweb/order.h"
#include "clients/ndrxweb/page.h"
#include "clients/ndrxweb/reply.h"
#include "clients/ndrxweb/session.h"
#include "clients/ndrxweb/stream.h"
#include "clients/ndrxweb/text.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/masked.h"

#define BODY_MAX  4096u
#define ORDER_MAX (1u << 20) /* the body of an order */
#define TEXT	  "text/plain; charset=utf-8"
#define JSON	  "application/json"
/* Exit status of xadmin: no reply in time, the work may go on (xadmin(8)). */
#define XADMIN_TIMEOUT 4

/* A request: its body. */
struct request {
	struct MHD_Connection *connection;
	size_t n, max;
	bool too_long;
	const struct ow_order *order; /* that it waits for; NULL: none */
	struct ow_run *run;
	char *body; /* with a NUL behind it; NULL: none */
};

/* ---- replies ---- */

static enum MHD_Result reply(const struct ow_site *w, struct MHD_Connection *c,
			     unsigned int status, const char *type,
			     struct MHD_Response *r)
{
	return ow_web_reply(c, w->tls, status, type, r);
}

static enum MHD_Result reply_text(const struct ow_site *w,
				  struct MHD_Connection *c, unsigned int status,
				  const char *text)
{
	return reply(w, c, status, TEXT,
		     MHD_create_response_from_buffer(strlen(text),
						     (void *)(uintptr_t)text,
						     MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result reply_copy(const struct ow_site *w,
				  struct MHD_Connection *c, unsigned int status,
				  const char *type, const char *bytes, size_t n)
{
	return reply(w, c, status, type,
		     MHD_create_response_from_buffer(
			 n, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY));
}

/* Who is logged in; after a login with the cookie, and with the token that is
 * given only then. */
static enum MHD_Result reply_session(const struct ow_site *w,
				     struct MHD_Connection *c,
				     const struct ow_session *v, bool login)
{
	char cookie[256], *copy = NULL;
	struct MHD_Response *r;
	size_t n = 0;
	FILE *out = open_memstream(&copy, &n);

	if (out == NULL)
		return MHD_NO;
	fputs("{\"user\":", out);
	ow_web_string(out, v->user);
	fprintf(out, ",\"role\":\"%s\"", ow_role_name(v->role));
	if (login)
		fprintf(out, ",\"token\":\"%s\"", v->forgery);
	fputc('}', out);
	fclose(out);
	r = MHD_create_response_from_buffer(n, copy, MHD_RESPMEM_MUST_FREE);
	ow_web_cookie(w->tls, c, v, cookie, sizeof(cookie));
	if (r != NULL && login)
		MHD_add_response_header(r, MHD_HTTP_HEADER_SET_COOKIE, cookie);
	return reply(w, c, MHD_HTTP_OK, JSON, r);
}

/* ---- logging in ---- */

static enum MHD_Result do_login(struct ow_site *w, struct MHD_Connection *c,
				struct request *q)
{
	char user[32], password[128], from[OW_ORIGIN_SIZE];
	struct ow_session *v = NULL;
	bool good = q->body != NULL &&
		    ow_web_form(q->body, "user", user, sizeof(user)) &&
		    ow_web_form(q->body, "password", password,
				sizeof(password));
	int r = OW_LOGIN_WRONG;

	ow_web_origin(c, from);
	if (good)
		r = ow_session_login(w->sessions, from, user, password, &v);
	explicit_bzero(password, sizeof(password));
	if (q->body != NULL)
		explicit_bzero(q->body, q->n);
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
				  "too many are logged in: try again\n");
	return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
			  r == -ENOENT ? "there is no user yet: `xadmin passwd "
					 "-w -r look NAME` makes one\n"
				       : "the file of users cannot be read\n");
}

static enum MHD_Result do_logout(struct ow_site *w, struct MHD_Connection *c,
				 struct ow_session *v)
{
	ow_session_end(v);
	return reply_text(w, c, MHD_HTTP_OK, "logged out\n");
}

/* ---- orders ---- */

static const char *argument(void *arg, const char *name)
{
	return MHD_lookup_connection_value(arg, MHD_GET_ARGUMENT_KIND, name);
}

/* Nobody knows whether it was carried out. */
static enum MHD_Result reply_doubt(const struct ow_site *w,
				   struct MHD_Connection *c,
				   const struct ow_order *o, const char *why)
{
	char text[256];

	snprintf(text, sizeof(text), "%s. %s\n", why,
		 ow_order_is_look(o)
		     ? "Nothing was changed."
		     : "It is not known whether the order was carried out: "
		       "look at the domain and its events.");
	return reply_copy(w, c, MHD_HTTP_GATEWAY_TIMEOUT, TEXT, text,
			  strlen(text));
}

/* What the process says of errors, apart from its output. */
static enum MHD_Result reply_errors(const struct ow_site *w,
				    struct MHD_Connection *c,
				    const struct ow_run *r)
{
	char text[4096];
	ssize_t n = pread(r->errors, text, sizeof(text), 0);

	return reply_copy(w, c, MHD_HTTP_UNPROCESSABLE_CONTENT, TEXT, text,
			  n > 0 ? (size_t)n : 0);
}

/* Text that may have secrets of the configuration in it. */
static enum MHD_Result reply_masked(const struct ow_site *w,
				    struct MHD_Connection *c,
				    unsigned int status, const struct ow_run *r)
{
	char *copy = strndup(r->output != NULL ? r->output : "", r->n);
	char *text = copy != NULL ? ow_masked(copy) : NULL;
	enum MHD_Result done =
	    text != NULL ? reply_copy(w, c, status, TEXT, text, strlen(text))
			 : MHD_NO;

	free(copy);
	free(text);
	return done;
}

/* The output of the order, with its outcome in the status. */
static enum MHD_Result reply_order(const struct ow_site *w,
				   struct MHD_Connection *c,
				   const struct request *q)
{
	const struct ow_run *r = q->run;
	bool json = ow_order_is_json(q->order);
	unsigned int status;
	char why[96];

	snprintf(why, sizeof(why), "No answer within %u s: xadmin was killed",
		 w->limit_s);
	if (r->late || r->status < 0)
		return reply_doubt(w, c, q->order, r->late ? why : "xadmin was killed");
	if (json && r->n == 0 && r->errors >= 0)
		return reply_errors(w, c, r);
	if (json && r->cut && !ow_order_is_look(q->order))
		return reply_doubt(w, c, q->order,
				   "The answer is too long for this page");
	if (json && r->cut)
		return reply_text(w, c, MHD_HTTP_UNPROCESSABLE_CONTENT,
				  "too long for this page: use xadmin\n");
	status = r->status == 0 ? MHD_HTTP_OK
		 : r->status == XADMIN_TIMEOUT ? MHD_HTTP_GATEWAY_TIMEOUT
					       : MHD_HTTP_UNPROCESSABLE_CONTENT;
	return json ? reply_copy(w, c, status, JSON, r->output, r->n)
		    : reply_masked(w, c, status, r);
}

static enum MHD_Result do_order(struct ow_site *w, struct MHD_Connection *c,
				const struct ow_session *v, struct request *q)
{
	const char *verb = argument(c, "verb");
	const struct ow_order *o = verb != NULL ? ow_order_find(verb) : NULL;
	char text[64];
	int r;

	if (o != NULL && v->role < ow_order_role(o)) {
		snprintf(text, sizeof(text), "the role %s is needed\n",
			 ow_role_name(ow_order_role(o)));
		return reply_copy(w, c, MHD_HTTP_FORBIDDEN, TEXT, text,
				  strlen(text));
	}
	if (q->body != NULL && strlen(q->body) != q->n)
		return reply_text(w, c, MHD_HTTP_BAD_REQUEST,
				  "a NUL in the request\n");
	r = o != NULL ? ow_order_begin(w->runs, o, v->user, argument, c,
				       q->body, q, &q->run)
		      : -EINVAL;
	if (r == -EINVAL)
		return reply_text(w, c, MHD_HTTP_BAD_REQUEST,
				  "no such order\n");
	if (r == -EBUSY || r == -EAGAIN)
		return reply_text(w, c, MHD_HTTP_CONFLICT,
				  r == -EBUSY ? "another order is under way\n"
					      : "too many orders are under "
						"way: wait, and try again\n");
	if (r < 0)
		return reply_text(w, c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "no process: nothing was done\n");
	q->order = o;
	MHD_suspend_connection(c);
	return MHD_YES;
}

void ow_route_tell(struct ow_run *r)
{
	const struct request *q = r->waiter;

	MHD_resume_connection(q->connection);
}

/* ---- screens ---- */

static uint64_t number(struct MHD_Connection *c, const char *name)
{
	const char *v = argument(c, name);

	return v != NULL ? strtoull(v, NULL, 10) : 0;
}

/* What the request wants to see: false, there is no such screen. */
static bool view_of(struct MHD_Connection *c, struct ow_feed_view *ret)
{
	const char *screen = argument(c, "screen");
	const char *words = argument(c, "words");

	*ret = (struct ow_feed_view){ 0 };
	ret->order.column = (unsigned int)number(c, "sort");
	ret->order.rising = number(c, "rising") != 0;
	snprintf(ret->order.words, sizeof(ret->order.words), "%s",
		 words != NULL ? words : "");
	ret->svc = (uint32_t)number(c, "svc");
	ret->srvid = (uint32_t)number(c, "srvid");
	return screen != NULL && ow_feed_screen(screen, &ret->screen);
}

static enum MHD_Result reply_feed(const struct ow_site *w,
				  struct MHD_Connection *c,
				  struct ow_feed_text *t)
{
	enum MHD_Result done;

	if (t == NULL)
		return MHD_NO;
	done = reply_copy(w, c, MHD_HTTP_OK, JSON, t->bytes, t->n);
	ow_feed_release(t);
	return done;
}

/* From when to when the black box has records, in milliseconds; null: there is
 * none. */
static enum MHD_Result get_span(struct ow_site *w, struct MHD_Connection *c)
{
	char text[128] = "null", why[512];
	uint64_t first, last;

	if (ow_feed_span(w->feed, &first, &last, why, sizeof(why)))
		snprintf(text, sizeof(text), "{\"first\":%llu,\"last\":%llu}",
			 (unsigned long long)(first / OW_NS_PER_MS),
			 (unsigned long long)(last / OW_NS_PER_MS));
	return reply_copy(w, c, MHD_HTTP_OK, JSON, text, strlen(text));
}

static enum MHD_Result get_past(struct ow_site *w, struct MHD_Connection *c)
{
	uint64_t at = number(c, "at") * OW_NS_PER_MS;
	struct ow_feed_view view;
	struct ow_feed_text *t;
	char why[512];

	if (!view_of(c, &view))
		return reply_text(w, c, MHD_HTTP_NOT_FOUND,
				  "no such screen\n");
	t = ow_feed_past(w->feed, at, &view, why, sizeof(why));
	return t != NULL ? reply_feed(w, c, t)
			 : reply_copy(w, c, MHD_HTTP_NOT_FOUND, TEXT, why,
				      strlen(why));
}

static enum MHD_Result get_stream(struct ow_site *w, struct MHD_Connection *c,
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

/* ---- routes ---- */

static enum MHD_Result post_route(struct ow_site *w, struct MHD_Connection *c,
				  struct ow_session *v, const char *url,
				  struct request *q)
{
	if (!ow_web_has_token(c, v))
		return reply_text(w, c, MHD_HTTP_FORBIDDEN,
				  "no token: log in again\n");
	if (strcmp(url, "/api/logout") == 0)
		return do_logout(w, c, v);
	if (strcmp(url, "/api/order") == 0)
		return do_order(w, c, v, q);
	return reply_text(w, c, MHD_HTTP_NOT_FOUND, "there is no such thing\n");
}

static enum MHD_Result get_route(struct ow_site *w, struct MHD_Connection *c,
				 struct ow_session *v, const char *url)
{
	if (strcmp(url, "/api/me") == 0)
		return reply_session(w, c, v, false);
	if (strcmp(url, "/api/screens") == 0)
		return reply_feed(w, c, ow_feed_screens());
	if (strcmp(url, "/api/span") == 0)
		return get_span(w, c);
	if (strcmp(url, "/api/past") == 0)
		return get_past(w, c);
	if (strcmp(url, "/api/stream") == 0)
		return get_stream(w, c, v);
	return reply_text(w, c, MHD_HTTP_NOT_FOUND, "there is no such thing\n");
}

static enum MHD_Result route(struct ow_site *w, struct MHD_Connection *c,
			     const char *url, bool post, struct request *q)
{
	const struct ow_page *page = post ? NULL : ow_page_find(url);
	struct ow_session *v;

	if (!w->tls && !ow_web_name_is_ours(c))
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
	if (!ow_web_is_from_page(c))
		return reply_text(w, c, MHD_HTTP_FORBIDDEN, "another site\n");
	if (post && strcmp(url, "/api/login") == 0)
		return do_login(w, c, q);
	v = ow_web_session(w->sessions, w->tls, c);
	if (v == NULL)
		return reply_text(w, c, MHD_HTTP_UNAUTHORIZED, "log in\n");
	ow_crowd_known(c);
	return post ? post_route(w, c, v, url, q) : get_route(w, c, v, url);
}

/* Only who is logged in may send much. */
static struct request *begin(struct ow_site *w, struct MHD_Connection *c,
			     const char *url)
{
	struct request *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return NULL;
	q->connection = c;
	q->max = strcmp(url, "/api/order") == 0 &&
			 ow_web_session(w->sessions, w->tls, c) != NULL
		     ? ORDER_MAX
		     : BODY_MAX;
	return q;
}

static void take_body(struct request *q, const char *data, size_t n)
{
	char *more = q->n + n <= q->max ? realloc(q->body, q->n + n + 1) : NULL;

	if (more == NULL) {
		q->too_long = true;
		return;
	}
	q->body = more;
	memcpy(q->body + q->n, data, n);
	q->n += n;
	q->body[q->n] = '\0';
}

enum MHD_Result ow_route_answer(void *arg, struct MHD_Connection *c,
				const char *url, const char *method,
				const char *version, const char *data,
				size_t *data_size, void **state)
{
	struct request *q = *state;
	bool post = strcmp(method, "POST") == 0;

	(void)version;
	if (q == NULL) { /* only the head has come */
		*state = begin(arg, c, url);
		return *state != NULL ? MHD_YES : MHD_NO;
	}
	if (q->order != NULL)
		return reply_order(arg, c, q);
	if (*data_size != 0) {
		if (!q->too_long)
			take_body(q, data, *data_size);
		*data_size = 0;
		return MHD_YES;
	}
	if (!post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return reply_text(arg, c, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "GET or POST\n");
	return route(arg, c, url, post, q);
}

void ow_route_end(void *arg, struct MHD_Connection *c, void **state,
		  enum MHD_RequestTerminationCode why)
{
	struct request *q = *state;

	(void)arg;
	(void)c;
	(void)why;
	if (q == NULL)
		return;
	ow_run_leave(q->run);
	free(q->body);
	free(q);
	*state = NULL;
}
