/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - what each address of the web console answers
 *
 * Called by libmicrohttpd (http.c), by one thread.
 */
#ifndef OW_WEB_ROUTE_H
#define OW_WEB_ROUTE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

struct ow_feed;
struct ow_run;
struct ow_runs;
struct ow_sessions;
struct ow_streams;

/* What the answers are made of. */
struct ow_site {
	struct ow_feed *feed;
	struct ow_sessions *sessions;
	struct ow_streams *streams;
	struct ow_runs *runs;
	unsigned int limit_s; /* of an order */
	bool tls;
};

/* `arg` is a struct ow_site. */
enum MHD_Result ow_route_answer(void *arg, struct MHD_Connection *c,
				const char *url, const char *method,
				const char *version, const char *data,
				size_t *data_size, void **state);
void ow_route_end(void *arg, struct MHD_Connection *c, void **state,
		  enum MHD_RequestTerminationCode why);
/* A run has ended: who waits for it goes on. */
void ow_route_tell(struct ow_run *r);

#endif
