/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - a frame from another node becomes a request of this one
 */
#ifndef OW_BRIDGE_REQUEST_H
#define OW_BRIDGE_REQUEST_H

#include "servers/bridge/peers/peers.h"

struct ow_ctx;
struct ow_request;

/* What the context sends for a frame with the whole `payload`, which is not
 * copied. ow_trace_leave() follows when it is sent. */
void ow_br_request_fill(struct ow_ctx *c, const struct ow_br_frame *f,
			char *payload, uint64_t deadline,
			struct ow_request *rq);

/* A frame with the whole `payload` came from `node`: f->svc is the service that
 * takes it. 0, or a tperrno to refuse it with. */
int ow_br_request_name(const struct ow_br_peers *ps, uint32_t node,
		       struct ow_br_frame *f, char *payload);

#endif
