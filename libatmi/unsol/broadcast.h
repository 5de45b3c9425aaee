/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.h - an unsolicited message to all clients of a name
 */
#ifndef OW_BROADCAST_H
#define OW_BROADCAST_H

#include <stdint.h>

struct ow_content;
struct ow_ctx;

/* Which names an empty text stands for, as no other name does. */
enum ow_broadcast_empty {
	OW_BROADCAST_NO_NODE = 1,
	OW_BROADCAST_NO_NAME = 2,
	OW_BROADCAST_NO_USER = 4,
};

/* The clients that get it: of this node, program and user; a text that is NULL is
 * any, an empty one, too, unless `empty` has its bit. */
struct ow_audience {
	const char *node; /* number or name */
	const char *name; /* of the program, or the client's own */
	const char *user; /* as given to tpinit() */
	uint32_t empty;	  /* enum ow_broadcast_empty */
	long flags;	  /* TPREGEXMATCH */
};

/* To those of this domain. 0, or -1 with tperrno: a pattern is wrong. */
int ow_broadcast(struct ow_ctx *c, const struct ow_audience *to,
		 const struct ow_content *k);

#endif
