/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - GET /metrics, on a Unix socket and on 127.0.0.1
 *
 * libmicrohttpd speaks HTTP; this decides who may and what is there. Never on
 * another address: whoever wants the figures elsewhere puts a proxy with
 * authentication in front. One thread runs all of it.
 */
#ifndef OW_HTTP_H
#define OW_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct ow_http;
struct ow_text;

/* Writes the figures of this moment. */
typedef void ow_http_fn(void *arg, struct ow_text *t);

struct ow_http_options {
	const char *socket; /* path; NULL: none */
	uint16_t port;	    /* on 127.0.0.1; 0: none */
	ow_http_fn *write;
	void *arg;
};

/* 0 or -errno, with the reason in `why`. -EADDRINUSE: somebody serves there. */
int ow_http_open(const struct ow_http_options *o, struct ow_http **ret,
		 char *why, size_t size);
struct ow_http *ow_http_close(struct ow_http *h);

/* Descriptors to poll for input (two at most): how many. */
int ow_http_fds(const struct ow_http *h, int fds[2]);
/* After so many milliseconds at most ow_http_run() is due all the same. */
int ow_http_patience(const struct ow_http *h, int max_ms);
/* Do what is to be done; never blocks. */
void ow_http_run(struct ow_http *h);

#endif
