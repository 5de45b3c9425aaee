/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.h - one control connection: a server or an xadmin
 *
 * Nothing here waits for the other side. What its socket does not take is
 * queued; progress lines (EVENT) beyond a bound are dropped and counted,
 * results never. The rows of a listing are made as the socket takes them.
 *
 * A peer may be closed inside of any call that sends or reads; its memory
 * stays until the end of the round of the loop (ow_peer_bury).
 */
#ifndef OW_PEER_H
#define OW_PEER_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_inst;

#define OW_PEER_EVENTS_MAX 1024u

struct ow_packet {
	STAILQ_ENTRY(ow_packet) link;
	union ow_ctl_msg m; /* only h.len bytes of it are there */
};

struct ow_peer {
	LIST_ENTRY(ow_peer) link;
	struct ndrxd *d;
	int fd; /* -1: closed */
	pid_t pid;
	ev_io io;
	struct ow_inst *inst; /* the server that it is, or NULL */
	STAILQ_HEAD(, ow_packet) out;
	uint32_t n_out;
	uint32_t dropped; /* EVENTs */
	bool watching;	  /* gets the job's EVENTs and its DONE */
	uint32_t seq;	  /* of the command being answered */
	/* a listing in progress */
	bool listing;
	size_t list_at;
	struct ow_ctl_cmd list_cmd;
	uint32_t list_count;
};

/* Serve new connections on d->listen_fd. */
void ow_peer_listen(struct ndrxd *d);
void ow_peer_unlisten(struct ndrxd *d);
/* Take all connections that wait, and read what they sent. */
void ow_peer_accept(struct ndrxd *d);

/* Queue or send one packet. */
void ow_peer_send(struct ow_peer *p, const union ow_ctl_msg *m);
/* One that is only a head: STOP, PING, NUDGE. PING gives way to others. */
void ow_peer_order(struct ow_peer *p, enum ow_ctl_kind kind, uint32_t seq);
/* The result of command `seq`. */
void ow_peer_done(struct ow_peer *p, uint32_t status, uint32_t count,
		  const char *text);

/* Handle all packets that have come. */
void ow_peer_read(struct ow_peer *p);
/* The same for the connection of process `pid` that has said nothing yet. */
void ow_peer_read_pid(struct ndrxd *d, pid_t pid);

void ow_peer_close(struct ow_peer *p);
/* Close the connection of a server that is gone or replaced. */
void ow_peer_detach(struct ow_peer *p);
/* Has every peer got all of its packets? */
bool ow_peer_all_sent(const struct ndrxd *d);
/* Free what was closed; at a point where nobody uses a peer. */
void ow_peer_bury(struct ndrxd *d);

#endif
