/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.h - what is said of the domain
 */
#ifndef OW_OTEL_ABOUT_H
#define OW_OTEL_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct ow_otel_about {
	char space[48]; /* service.namespace: the prefix */
	char host[128];
	long node;
	bool messaging; /* its conventions, for durable queues */
	uint64_t real_ns; /* wall clock minus monotonic */
};

/* From the environment. */
void ow_otel_about_read(struct ow_otel_about *a, const char *space, long node);

#endif
