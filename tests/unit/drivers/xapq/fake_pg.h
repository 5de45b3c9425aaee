/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_pg.h - a PostgreSQL that says what a test wants
 *
 * fake_open() gives a connection of libpq and the other end of it. Of the
 * protocol there is what a connection needs to begin, and messages that the
 * test sends when it wants, or when a query has come (fake_answer()).
 */
#ifndef OW_FAKE_PG_H
#define OW_FAKE_PG_H

#include <assert.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct fake {
	PGconn *db;
	int fd; /* the server's end */
	char query[4096]; /* the last one that was answered */
	char text[512];	  /* its answer */
	size_t len;
	bool ends; /* the server goes behind it */
	unsigned int pause_ms; /* before it */
	pthread_t thread;
	int listener;
};

/* ---- messages ---- */

static inline size_t fake_message(char *to, char kind, const char *body,
				  size_t len)
{
	uint32_t n = (uint32_t)len + 4;
	char size[4] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8),
			 (char)n };

	to[0] = kind;
	memcpy(to + 1, size, 4);
	memcpy(to + 5, body, len);
	return len + 5;
}

/* An error ('E') or a notice ('N'). */
static inline size_t fake_report(char *to, char kind, const char *severity,
				 const char *state)
{
	char body[128];
	int n = snprintf(body, sizeof(body), "S%s%cV%s%cC%s%cMtold so%c",
			 severity, 0, severity, 0, state, 0, 0);

	body[n] = '\0';
	return fake_message(to, kind, body, (size_t)n + 1);
}

/* A command has been done; the server waits for the next one. */
static inline size_t fake_done(char *to, const char *tag)
{
	size_t n = fake_message(to, 'C', tag, strlen(tag) + 1);

	return n + fake_message(to + n, 'Z', "I", 1);
}

static inline void fake_send(struct fake *f, const void *bytes, size_t n)
{
	assert(send(f->fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n);
}

/* ---- queries ---- */

static inline void fake_read(int fd, void *to, size_t n)
{
	assert(recv(fd, to, n, MSG_WAITALL) == (ssize_t)n);
}

static inline void *fake_attend(void *arg)
{
	struct fake *f = arg;
	unsigned char head[5];
	uint32_t n;

	fake_read(f->fd, head, sizeof(head));
	n = ((uint32_t)head[3] << 8 | head[4]) - 4;
	assert(head[0] == 'Q' && n < sizeof(f->query));
	fake_read(f->fd, f->query, n);
	usleep(f->pause_ms * 1000);
	fake_send(f, f->text, f->len);
	if (f->ends)
		shutdown(f->fd, SHUT_RDWR);
	return NULL;
}

/* The next query gets f->text. */
static inline void fake_answer(struct fake *f)
{
	assert(pthread_create(&f->thread, NULL, fake_attend, f) == 0);
}

static inline void fake_answered(struct fake *f)
{
	assert(pthread_join(f->thread, NULL) == 0);
}

/* What has come that nobody has answered: bytes. */
static inline ssize_t fake_unread(struct fake *f)
{
	char some[256];
	ssize_t n = recv(f->fd, some, sizeof(some), MSG_DONTWAIT | MSG_PEEK);

	return n < 0 ? 0 : n;
}

/* ---- its beginning ---- */

static inline void *fake_greet(void *arg)
{
	struct fake *f = arg;
	char some[1024], to[64];
	size_t n;

	f->fd = accept(f->listener, NULL, NULL);
	assert(f->fd >= 0 && recv(f->fd, some, sizeof(some), 0) > 8);
	n = fake_message(to, 'R', "\0\0\0\0", 4);
	n += fake_message(to + n, 'Z', "I", 1);
	fake_send(f, to, n);
	return NULL;
}

/* A connection, made by `open` of the driver. */
static inline void fake_open(struct fake *f, PGconn *(*open)(const char *url))
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char folder[] = "/tmp/ow_fake_pgXXXXXX", url[128];

	memset(f, 0, sizeof(*f));
	assert(mkdtemp(folder) != NULL);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/.s.PGSQL.5432", folder);
	f->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert(bind(f->listener, (struct sockaddr *)&a, sizeof(a)) == 0 &&
	       listen(f->listener, 1) == 0);
	assert(pthread_create(&f->thread, NULL, fake_greet, f) == 0);
	snprintf(url, sizeof(url), "host=%s port=5432 user=a dbname=a", folder);
	f->db = open(url);
	fake_answered(f);
	assert(PQstatus(f->db) == CONNECTION_OK);
	close(f->listener);
	unlink(a.sun_path);
	rmdir(folder);
}

static inline void fake_close(struct fake *f)
{
	db_close(f->db);
	close(f->fd);
}

#endif
