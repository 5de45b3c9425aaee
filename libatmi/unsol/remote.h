/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - unsolicited messages to clients of other nodes
 *
 * They go to a bridge (servers/bridge/out/unsol.c) as a CARRAY with what is
 * defined here: a call for tpnotify(), whose caller learns what became of the
 * message, a one-way call for tpbroadcast(). The bridge of the other node
 * delivers it there. doc/design/cluster.md
 */
#ifndef OW_UNSOL_REMOTE_H
#define OW_UNSOL_REMOTE_H

#include <stdint.h>
#include <xatmi.h>

struct ow_audience;
struct ow_content;
struct ow_ctx;

/* The service of bridges, while they have a link to a node that knows it. */
#define OW_UNSOL_SERVICE "@TPUNSOL"
#define OW_UNSOL_MAGIC	 0x5344574fu

enum ow_unsol_op {
	OW_UNSOL_NOTIFY = 1,
	OW_UNSOL_BROADCAST,
};

/* This head, then texts with their NULs: node and program, both "" with NOTIFY;
 * behind them the user, where one is meant or `empty` is not 0, so that a node
 * which does not know users refuses the message instead of sending it to all of
 * them. Then the payload as it travels (wire/msg.h). */
struct ow_unsol_message {
	uint32_t magic;
	uint32_t op;
	uint32_t node;	/* NOTIFY: of the client */
	uint32_t flags; /* BROADCAST: TPREGEXMATCH */
	uint8_t type;	/* enum ow_buf_type */
	uint8_t sub_len;
	uint16_t text_len; /* of the texts, with their NULs */
	uint32_t empty;	   /* BROADCAST: enum ow_broadcast_empty */
	uint64_t len;
	CLIENTID client; /* NOTIFY */
};

/* Send to the client, which is of another node: 0, or -1 with tperrno. */
int ow_unsol_notify(struct ow_ctx *c, const CLIENTID *id, uint32_t node,
		    const struct ow_content *k, uint64_t deadline, long flags);
/* Send to the clients of all other nodes. Waits for nobody. */
void ow_unsol_broadcast(struct ow_ctx *c, const struct ow_audience *to,
			const struct ow_content *k);
/* For bridges: the head of a message of `len` bytes: 0, -EBADMSG. */
int ow_unsol_head(const char *message, long len, struct ow_unsol_message *ret);
/* For bridges: deliver it in this domain: 0, or the tperrno for the sender.
 * Waits for nobody: TPEBLOCK, the client has no room now. */
int ow_unsol_arrive(struct ow_ctx *c, const char *message, long len);

#endif
