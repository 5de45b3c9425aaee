/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.h - a change of a domain, and a list of them
 */
#ifndef OW_BB_CHANGE_H
#define OW_BB_CHANGE_H

#include <stddef.h>
#include <stdint.h>

struct ow_bb_change {
	uint64_t real_ns;
	int grade;     /* 0 usual, 1 unusual, 2 bad */
	char kind[16]; /* a word: "died", "queue", "p99" */
	char who[64];  /* program, service, client */
	uint32_t srvid;
	int32_t pid; /* 0: none */
	char text[400];
};

struct ow_bb_changes {
	struct ow_bb_change *list;
	size_t n, room;
	uint64_t records, lost; /* read; left out, because they are damaged */
	uint64_t first_ns, last_ns; /* of those read; 0: none */
};

#endif
