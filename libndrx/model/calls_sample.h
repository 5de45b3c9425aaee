/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_sample.h - the requests in flight of a sample
 */
#ifndef OW_CALLS_SAMPLE_H
#define OW_CALLS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_observer;

/* A request that waits or is served; `calls` of the sample, if they were asked
 * for. */
struct ow_seen_call {
	uint64_t key;
	char service[32];
	char state[12];
	char where[48], caller[48], why[400];
	char trace[33]; /* "": unknown */
	bool known, deadlock;
	uint32_t srvid, svc; /* svc: 1 + index */
	int32_t pid;
	uint32_t n;
	uint64_t age_us, size;
	int64_t left_us; /* INT64_MAX: no deadline */
	uint8_t prio;
};

/* Look: 0 with an array that is the caller's, -ENOMEM. What cannot be seen is
 * left out. */
int ow_calls_sample(struct ow_observer *v, struct ow_seen_call **ret,
		    size_t *ret_n);

#endif
