/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hitter.h - kill and stop servers of a domain
 *
 * Only servers in the given tables are hit, identified by pid and start time,
 * through a pidfd: never another process.
 */
#ifndef OW_BENCH_HITTER_H
#define OW_BENCH_HITTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_tables;

#define OW_HITTER_STOPPED 64 /* at one time */
#define OW_HITTER_TIMES	  64 /* of the last hits */

enum ow_hit {
	OW_HIT_KILL, /* SIGKILL, any server */
	OW_HIT_BUSY, /* SIGKILL, one that has a request in hand */
	OW_HIT_STOP, /* SIGSTOP, and SIGCONT 200 ms later */
	OW_HITS,
};

struct ow_hitter {
	struct ow_domain *d;
	const struct ow_tables *t; /* of the domain */
	enum ow_hit kind;
	uint32_t servers; /* their ids are 1..servers */
	unsigned int seed;
	uint64_t hits; /* so far */
	_Atomic uint64_t hit_ns[OW_HITTER_TIMES]; /* when; the hitter writes */
	struct {
		int pidfd; /* -1: free */
		uint64_t until_ns;
	} stopped[OW_HITTER_STOPPED];
};

/* "kill", "busy", "stop": 0 or -EINVAL. */
int ow_hit_parse(const char *name, enum ow_hit *ret_hit);
const char *ow_hit_name(enum ow_hit hit);

void ow_hitter_init(struct ow_hitter *h, struct ow_domain *d,
		    enum ow_hit kind, uint32_t servers);
/* Hit one server if possible; continue stopped ones whose time is up. */
void ow_hitter_strike(struct ow_hitter *h);
/* When the first of the last hits since `ns` was; 0: there was none. Any
 * thread. */
uint64_t ow_hitter_first_since(const struct ow_hitter *h, uint64_t ns);
/* Continue every stopped server. */
void ow_hitter_end(struct ow_hitter *h);

#endif
