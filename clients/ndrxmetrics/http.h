/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - serve GET /metrics on a Unix socket and on a TCP port
 *
 * libmicrohttpd speaks HTTP; this module opens the sockets and names the only
 * page. TCP is 127.0.0.1 unless another address is given: there is no
 * authentication, so that is for networks that are trusted. One thread runs
 * it.
 *
 * A connection has one request and five seconds for all of it, however it
 * trickles in. When there are many, the oldest one of the host (of the process,
 * on the Unix socket) that has the most gives way. So nobody keeps others out by
 * connections that never end.
 */
#ifndef OW_HTTP_H
#define OW_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct ow_http;
struct ow_text;

/* Writes the figures as they are now. */
typedef void ow_http_fn(void *arg, struct ow_text *t);

struct ow_http_options {
	const char *socket; /* path; NULL: none */
	const char *address; /* of the port: numbers, IPv4 or IPv6 */
	uint16_t port;	     /* 0: none */
	ow_http_fn *write;
	void *arg;
};

/* 0 or -errno, with the reason in `why`. -EADDRINUSE: another process serves
 * the socket. */
int ow_http_open(const struct ow_http_options *o, struct ow_http **ret,
		 char *why, size_t size);
struct ow_http *ow_http_close(struct ow_http *h);

/* Descriptors to poll for input. Their number, at most two. */
int ow_http_fds(const struct ow_http *h, int fds[2]);
/* Milliseconds, at most max_ms, until ow_http_run() must be called even
 * without input. */
int ow_http_patience(const struct ow_http *h, int max_ms);
/* Serve what has come. Never blocks. */
void ow_http_run(struct ow_http *h);

#endif
