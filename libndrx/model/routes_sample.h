/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes_sample.h - the routes of gates for HTTP of a sample
 */
#ifndef OW_ROUTES_SAMPLE_H
#define OW_ROUTES_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "libndrx/observe/http.h"

struct ow_domain;

/* A route in force; its texts are in the arrays, and `route` points to none. */
struct ow_seen_route {
	uint32_t srvid;
	enum ow_http_state state;
	uint64_t age_us;
	int64_t expires_s; /* certificate of its gate, wall clock; 0: none. The
			      black box does not keep it */
	char method[12], path[160], target[64];
	struct ow_http_route route;
};

/* Look: 0 with an array that is the caller's, -ENOMEM. */
int ow_routes_sample(const struct ow_domain *d, struct ow_seen_route **ret,
		     size_t *ret_n);

#endif
