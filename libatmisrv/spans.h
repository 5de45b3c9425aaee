/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - the spans of services
 *
 * A server learns in its tick whether spans are noted; then a bit of its
 * context leads it here after each service (dispatch.c).
 */
#ifndef OW_TRACED_SERVER_H
#define OW_TRACED_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct ow_msg;
struct ow_server;

/* At the beginning, and in each tick, of each thread that serves. */
void ow_traced_tick(struct ow_server *s, uint64_t now_ns);
/* The service of the request in hand has ended, and its reply is sent. */
void ow_traced_served(struct ow_server *s);
/* The same of a request that was continued (continued.h), in its proxy
 * server: it lay in the queue of row `row`. */
void ow_traced_continued(struct ow_server *s, uint32_t row);

#endif
