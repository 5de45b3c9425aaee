/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - a frame from another node becomes a request of this one
 */
#ifndef OW_BRIDGE_REQUEST_H
#define OW_BRIDGE_REQUEST_H

#include "servers/bridge/peers/peers.h"

struct ow_ctx;
struct ow_request;
struct ow_svcq;

/* What the context sends for a frame with the whole `payload`, which is not
 * copied. ow_trace_leave() follows when it is sent. */
void ow_br_request_fill(struct ow_ctx *c, const struct ow_br_frame *f,
			char *payload, uint64_t deadline,
			struct ow_request *rq);

/* Queue it, or have it stored (call/stored.h): 0, or -1 with tperrno. */
int ow_br_request_send(struct ow_ctx *c, struct ow_request *rq);
/* The queue in which the request of the frame has found no room: 0, or it is no
 * longer offered. */
int ow_br_request_queue(struct ow_ctx *c, const struct ow_br_frame *f,
			struct ow_svcq **ret);

/* A frame with the whole `payload` came from `node`: f->svc is the service that
 * takes it. 0, or a tperrno to refuse it with. */
int ow_br_request_name(const struct ow_br_peers *ps, uint32_t node,
		       struct ow_br_frame *f, char *payload);

#endif
