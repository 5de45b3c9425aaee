/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.h - control connections: packets from and to servers and xadmin
 *
 * No call waits for the other side. Packets that a socket does not take are
 * queued; progress lines (EVENT) beyond a bound are dropped and counted,
 * results never. What the packets mean is not known here: control/ registers
 * struct ow_peer_ops.
 *
 * Any call that sends or reads may close a peer; its memory stays until the
 * end of the round of the loop (ow_peer_free_closed).
 */
#ifndef OW_PEER_H
#define OW_PEER_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"
#include "ndrxd/report/guests.h"

struct ndrxd;
struct ow_guest_run;
struct ow_inst;

#define OW_PEER_EVENTS_MAX 1024u
/* Connections of other users: with rights, of each user; without, in all. */
#define OW_PEER_GUESTS	  64u
#define OW_PEER_PER_GUEST 8u
#define OW_PEER_STRANGERS 8u

struct ow_packet {
	STAILQ_ENTRY(ow_packet) link;
	union ow_ctl_msg m; /* only h.len bytes of it are there */
};

struct ow_peer {
	LIST_ENTRY(ow_peer) link;
	struct ndrxd *d;
	int fd; /* -1: closed */
	pid_t pid;
	uid_t uid;
	struct ow_guest_rights rights;
	ev_io io;
	struct ow_inst *inst; /* the server that it is, or NULL */
	STAILQ_HEAD(, ow_packet) out;
	uint32_t n_out;
	uint32_t dropped; /* EVENTs */
	bool watching;	  /* gets EVENTs and DONE of the operation */
	uint32_t seq;	  /* of the command in progress */
	int fds[OW_CTL_FDS]; /* came with the packet in hand; -1: none */
	struct ow_guest_run *run; /* for this guest: control/guest_run.c */
	/* a listing in progress: control/rows.c */
	bool listing;
	size_t list_at;
	struct ow_ctl_cmd list_cmd;
	uint32_t list_count;
};

/* The meaning of packets, in d->conn.peer_ops from before ow_peer_listen()
 * on. */
struct ow_peer_ops {
	/* A checked packet has come. May send to peers and close them. */
	void (*packet)(struct ow_peer *p, const union ow_ctl_msg *m);
	/* The socket has taken all that was queued: there is room again. */
	void (*drained)(struct ow_peer *p);
	/* The connection of server `s` has ended; s->peer is still set. Not
	 * called for ow_peer_detach(). */
	void (*hangup)(struct ow_inst *s);
	/* A guest's connection has ended while a program runs for it. */
	void (*left)(struct ow_peer *p);
};

/* Accept connections on d->conn.listen_fd. */
void ow_peer_listen(struct ndrxd *d);
void ow_peer_unlisten(struct ndrxd *d);
/* Accept guests, if <access> of the configuration lets them in. Connections
 * keep the rights that they had. Without a domain it does nothing. */
void ow_peer_listen_guests(struct ndrxd *d);
void ow_peer_unlisten_guests(struct ndrxd *d);

/* Send or queue one packet. */
void ow_peer_send(struct ow_peer *p, const union ow_ctl_msg *m);
/* A packet without a body: STOP, PING, NUDGE. PING is never queued. */
void ow_peer_send_kind(struct ow_peer *p, enum ow_ctl_kind kind, uint32_t seq);
/* The result of the command that it gave last. */
void ow_peer_done(struct ow_peer *p, uint32_t status, uint32_t count,
		  const char *text);

/*
 * Handle all packets of server `s`, also those on a connection that is not
 * accepted yet, or of which the HELLO is unread: before news of its end.
 */
void ow_peer_read_server(struct ndrxd *d, const struct ow_inst *s);

void ow_peer_close(struct ow_peer *p);
/* Close the connection of a server that is gone or replaced. */
void ow_peer_detach(struct ow_peer *p);
/* Have the sockets taken all packets? */
bool ow_peer_all_sent(const struct ndrxd *d);
/* Free closed peers, once per round of the loop, outside of all callbacks. */
void ow_peer_free_closed(struct ndrxd *d);

#endif
