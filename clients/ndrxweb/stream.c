/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - browsers that get a message a second (server-sent events)
 */
#include "clients/ndrxweb/stream.h"

#include <microhttpd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxweb/feed.h"
#include "clients/ndrxweb/session.h"

#define STREAMS	    128u
#define PER_SESSION 8u
#define PIECE	    16384u

struct stream {
	struct stream *next;
	struct ow_streams *all;
	struct MHD_Connection *connection;
	struct ow_session *session;
	char token[65];
	struct ow_feed_view view;
	uint64_t number; /* of the look that was sent, or is being sent */
	struct ow_feed_text *text; /* being sent */
	size_t sent;
	bool suspended, over;
};

struct ow_streams {
	struct ow_feed *feed;
	struct stream *first;
	unsigned int n;
	bool ending;
};

struct ow_streams *ow_streams_new(struct ow_feed *feed)
{
	struct ow_streams *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->feed = feed;
	return s;
}

struct ow_streams *ow_streams_free(struct ow_streams *s)
{
	free(s);
	return NULL;
}

bool ow_streams_room(const struct ow_streams *s)
{
	return s->n < STREAMS;
}

bool ow_streams_any(const struct ow_streams *s)
{
	return s->first != NULL;
}

/* MHD asks for the next bytes. */
static ssize_t give(void *arg, uint64_t pos, char *buf, size_t max)
{
	struct stream *t = arg;
	size_t n;

	(void)pos;
	if (t->all->ending || t->over || !ow_session_is(t->session, t->token))
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (t->text == NULL && ow_feed_number(t->all->feed) != t->number) {
		t->text = ow_feed_get(t->all->feed, &t->view);
		t->number = ow_feed_number(t->all->feed);
		t->sent = 0;
	}
	if (t->text == NULL) {
		t->suspended = true;
		MHD_suspend_connection(t->connection);
		return 0;
	}
	n = t->text->n - t->sent < max ? t->text->n - t->sent : max;
	memcpy(buf, t->text->bytes + t->sent, n);
	t->sent += n;
	if (t->sent == t->text->n) {
		ow_feed_release(t->text);
		t->text = NULL;
	}
	return (ssize_t)n;
}

static void end(void *arg)
{
	struct stream *t = arg, **at = &t->all->first;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->all->n--;
	t->session->streams--;
	ow_feed_release(t->text);
	free(t);
}

static void go_on(struct stream *t)
{
	if (!t->suspended)
		return;
	t->suspended = false;
	MHD_resume_connection(t->connection);
}

/* End the oldest stream of a session that has too many. */
static void make_room(struct ow_streams *s, const struct ow_session *v)
{
	struct stream *t, *oldest = NULL;
	unsigned int n = 0;

	for (t = s->first; t != NULL; t = t->next) {
		if (t->session != v || t->over)
			continue;
		n++;
		oldest = t; /* the newest is the first */
	}
	if (n < PER_SESSION)
		return;
	oldest->over = true;
	go_on(oldest);
}

struct MHD_Response *ow_stream_response(struct ow_streams *s,
					struct MHD_Connection *c,
					struct ow_session *v,
					const struct ow_feed_view *view)
{
	struct stream *t = calloc(1, sizeof(*t));
	struct MHD_Response *r;

	if (t == NULL)
		return NULL;
	make_room(s, v);
	if (!ow_feed_fresh(s->feed))
		t->number = ow_feed_number(s->feed); /* wait for the next */
	t->all = s;
	t->connection = c;
	t->session = v;
	memcpy(t->token, v->token, sizeof(t->token));
	t->view = *view;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, give, t,
					      end);
	if (r == NULL) {
		free(t);
		return NULL;
	}
	t->next = s->first;
	s->first = t;
	s->n++;
	v->streams++;
	return r;
}

void ow_streams_wake(struct ow_streams *s)
{
	struct stream *t;

	for (t = s->first; t != NULL; t = t->next)
		go_on(t);
}

void ow_streams_end(struct ow_streams *s)
{
	if (s == NULL)
		return;
	s->ending = true;
	ow_streams_wake(s);
}
