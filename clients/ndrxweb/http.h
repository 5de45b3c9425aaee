/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - the web console over HTTP: who asks, what he gets
 *
 * One thread, with a poll loop of its own (web_run). Without TLS it listens at
 * addresses of this machine only, and answers only to names of it.
 */
#ifndef OW_WEB_HTTP_H
#define OW_WEB_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct ow_feed;
struct ow_sessions;
struct ow_web;

struct ow_web_options {
	char address[64];
	uint16_t port;
	char users[512];
	char cert[512], key[512]; /* "": no TLS */
	unsigned int limit_s; /* of an order */
};

/* 0; -errno with `why`. *feed and *sessions must live as long. */
int ow_web_open(const struct ow_web_options *o, struct ow_feed *feed,
		struct ow_sessions *sessions, struct ow_web **ret, char *why,
		size_t size);
struct ow_web *ow_web_close(struct ow_web *w);
/* Serve until `stop_fd` is readable: 0 or -errno. */
int ow_web_run(struct ow_web *w, int stop_fd);

#endif
