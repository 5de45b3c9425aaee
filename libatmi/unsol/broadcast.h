/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.h - an unsolicited message to all clients of a name
 */
#ifndef OW_BROADCAST_H
#define OW_BROADCAST_H

struct ow_content;
struct ow_ctx;

/* To those of this domain whose program has the name, if this node has the
 * number or name `lmid`; NULL or "": any. `flags`: TPREGEXMATCH. 0, or -1 with tperrno:
 * a pattern is wrong. */
int ow_broadcast(struct ow_ctx *c, const char *lmid, const char *cltname,
		 const struct ow_content *k, long flags);

#endif
