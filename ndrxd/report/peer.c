/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.c - control connections: packets from and to servers and xadmin
 */
#include "ndrxd/report/peer.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/masked.h"
#include "libatmi/domain/gate.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/model/ndrxd.h"

#define ACCEPT_PAUSE_S 0.1
#define READ_BURST     64

/* ---- closing ---- */

static void drop_fds(struct ow_peer *p)
{
	for (int i = 0; i < OW_CTL_FDS; i++) {
		if (p->fds[i] >= 0)
			close(p->fds[i]);
		p->fds[i] = -1;
	}
}

void ow_peer_close(struct ow_peer *p)
{
	struct ow_inst *inst = p->inst;

	if (p->fd < 0)
		return;
	ev_io_stop(p->d->loop, &p->io);
	close(p->fd);
	p->fd = -1;
	p->watching = p->listing = false;
	p->inst = NULL;
	LIST_REMOVE(p, link);
	LIST_INSERT_HEAD(&p->d->conn.closed, p, link);
	if (inst != NULL && inst->peer == p)
		p->d->conn.peer_ops->hangup(inst);
	if (p->run != NULL)
		p->d->conn.peer_ops->left(p);
}

void ow_peer_detach(struct ow_peer *p)
{
	p->inst = NULL;
	ow_peer_close(p);
}

void ow_peer_free_closed(struct ndrxd *d)
{
	struct ow_packet *k;
	struct ow_peer *p;

	while ((p = LIST_FIRST(&d->conn.closed)) != NULL) {
		LIST_REMOVE(p, link);
		while ((k = STAILQ_FIRST(&p->out)) != NULL) {
			STAILQ_REMOVE_HEAD(&p->out, link);
			free(k);
		}
		free(p);
	}
}

/* ---- sending ---- */

static void want_write(struct ow_peer *p, bool on)
{
	int events = EV_READ | (on ? EV_WRITE : 0);

	if (p->fd < 0)
		return;
	ev_io_stop(p->d->loop, &p->io);
	ev_io_set(&p->io, p->fd, events);
	ev_io_start(p->d->loop, &p->io);
}

static void enqueue(struct ow_peer *p, const union ow_ctl_msg *m)
{
	struct ow_packet *k;

	if (m->h.kind == OW_CTL_PING ||
	    (m->h.kind == OW_CTL_EVENT && p->n_out >= OW_PEER_EVENTS_MAX)) {
		p->dropped++;
		return;
	}
	if (p->rights.guest && p->n_out >= OW_PEER_EVENTS_MAX) {
		log_warn("guest %d does not read what it asks for: closed",
			 (int)p->pid);
		ow_peer_close(p);
		return;
	}
	k = malloc(offsetof(struct ow_packet, m) + m->h.len);
	if (k == NULL) {
		log_error("peer %d: no memory: closed", (int)p->pid);
		ow_peer_close(p);
		return;
	}
	memcpy(&k->m, m, m->h.len);
	STAILQ_INSERT_TAIL(&p->out, k, link);
	if (p->n_out++ == 0)
		want_write(p, true);
}

/* A server sleeps on its wake word, not on its socket: on shm, in a doze on posix. */
static void wake(const struct ow_peer *p)
{
	if (p->inst != NULL)
		ow_server_alert(p->d->dom, p->inst->srvid);
}

void ow_peer_send(struct ow_peer *p, const union ow_ctl_msg *m)
{
	int r;

	if (p->fd < 0)
		return;
	if (p->n_out > 0) {
		enqueue(p, m);
		return;
	}
	r = ow_ctl_send(p->fd, m);
	if (r == -EAGAIN || r == -ENOBUFS || r == -ENOMEM)
		enqueue(p, m);
	else if (r < 0)
		ow_peer_close(p);
	else
		wake(p);
}

void ow_peer_send_kind(struct ow_peer *p, enum ow_ctl_kind kind, uint32_t seq)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, kind, seq);
	ow_peer_send(p, &m);
}

void ow_peer_done(struct ow_peer *p, uint32_t status, uint32_t count,
		  const char *text)
{
	union ow_ctl_msg m;
	char *masked;
	size_t n;

	ow_ctl_init(&m, OW_CTL_DONE, p->seq);
	m.done.status = status;
	m.done.count = count;
	masked = p->rights.guest ? ow_masked(text) : NULL;
	snprintf(m.done.text, sizeof(m.done.text), "%s",
		 !p->rights.guest ? text : masked != NULL ? masked : "");
	free(masked);
	n = strlen(m.done.text);
	if (p->dropped > 0)
		snprintf(m.done.text + n, sizeof(m.done.text) - n,
			 "%s(%u lines not shown: read too slowly)",
			 n > 0 ? " " : "", p->dropped);
	p->dropped = 0;
	p->watching = false;
	ow_peer_send(p, &m);
}

static void flush(struct ow_peer *p)
{
	struct ow_packet *k;
	int r;

	while (p->fd >= 0 && (k = STAILQ_FIRST(&p->out)) != NULL) {
		r = ow_ctl_send(p->fd, &k->m);
		if (r == -EAGAIN || r == -ENOBUFS || r == -ENOMEM)
			return;
		if (r < 0) {
			ow_peer_close(p);
			return;
		}
		STAILQ_REMOVE_HEAD(&p->out, link);
		free(k);
		p->n_out--;
		wake(p);
	}
	if (p->fd < 0)
		return;
	want_write(p, false);
	p->d->conn.peer_ops->drained(p);
}

bool ow_peer_all_sent(const struct ndrxd *d)
{
	const struct ow_peer *p;

	LIST_FOREACH(p, &d->conn.peers, link)
		if (p->n_out > 0)
			return false;
	return true;
}

/* ---- receiving ---- */

/* Descriptors are taken from guests only; others send none. */
static int receive(struct ow_peer *p, union ow_ctl_msg *m)
{
	return p->rights.guest ? ow_ctl_recv_fds(p->fd, m, p->fds)
			       : ow_ctl_recv(p->fd, m);
}

static void read_packets(struct ow_peer *p)
{
	union ow_ctl_msg m;
	int i, r;

	for (i = 0; i < READ_BURST && p->fd >= 0; i++) {
		r = receive(p, &m);
		if (r == -EAGAIN)
			return;
		if (r == -EBADMSG)
			log_warn("peer %d: malformed packet: closed",
				 (int)p->pid);
		if (r < 0)
			ow_peer_close(p);
		else
			p->d->conn.peer_ops->packet(p, &m);
		drop_fds(p);
	}
}

static void on_io(EV_P_ ev_io *w, int revents)
{
	struct ow_peer *p = w->data;

	if (revents & EV_WRITE)
		flush(p);
	if ((revents & EV_READ) && p->fd >= 0)
		read_packets(p);
}

/* ---- accepting ---- */

static void add_peer(struct ndrxd *d, int fd, pid_t pid, uid_t uid,
		     struct ow_guest_rights rights)
{
	struct ow_peer *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		close(fd);
		return;
	}
	p->d = d;
	p->fd = fd;
	p->pid = pid;
	p->uid = uid;
	p->rights = rights;
	memset(p->fds, -1, sizeof(p->fds));
	STAILQ_INIT(&p->out);
	LIST_INSERT_HEAD(&d->conn.peers, p, link);
	ev_io_init(&p->io, on_io, fd, EV_READ);
	p->io.data = p;
	ev_io_start(d->loop, &p->io);
	read_packets(p); /* the first packet has usually come already */
}

static void add_own(struct ndrxd *d, int fd)
{
	pid_t pid = 0;

	if (ow_owned_peer(fd, "a process that connects to the control socket",
			  &pid) == 0) {
		add_peer(d, fd, pid, geteuid(),
			 (struct ow_guest_rights){ .guest = false });
		return;
	}
	log_warn("refused: %s", ow_owned_strerror(-EPERM));
	close(fd);
}

/* Is there room for one more guest? Strangers, who get nothing but a refusal,
 * take no room from those who have rights. */
static bool has_room(const struct ndrxd *d, uid_t uid,
		     const struct ow_guest_rights *rights)
{
	unsigned int strangers = 0, guests = 0, same = 0;
	const struct ow_peer *p;

	LIST_FOREACH(p, &d->conn.peers, link) {
		if (!p->rights.guest)
			continue;
		if (p->rights.look)
			guests++;
		else
			strangers++;
		same += p->uid == uid;
	}
	return rights->look ? guests < OW_PEER_GUESTS &&
				      same < OW_PEER_PER_GUEST
			    : strangers < OW_PEER_STRANGERS;
}

static void add_guest(struct ndrxd *d, int fd)
{
	struct ow_guest_rights rights;
	struct ow_guest_id id;

	if (ow_guest_identify(fd, &id) < 0) {
		close(fd);
		return;
	}
	rights = ow_guests_rights(d, &id);
	if (rights.guest && !has_room(d, id.uid, &rights)) {
		log_warn("user %u, process %d: too many connections of other "
			 "users: closed", (unsigned int)id.uid, (int)id.pid);
		close(fd);
	} else {
		add_peer(d, fd, id.pid, id.uid, rights);
	}
	ow_guest_forget(&id);
}

/* Accept all connections that wait on a listening socket, and read their
 * packets. */
static void accept_all(struct ndrxd *d, const int *listener,
		       void (*add)(struct ndrxd *d, int fd))
{
	int fd;

	while (*listener >= 0) {
		fd = accept4(*listener, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			d->conn.accept_failed = false;
			add(d, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN)
			return;
		if (!d->conn.accept_failed)
			log_error("control socket: accept: %s: tried again",
				  strerror(errno));
		d->conn.accept_failed = true;
		ev_io_stop(d->loop, &d->conn.accept_io);
		ev_io_stop(d->loop, &d->conn.guest_io);
		ev_timer_set(&d->conn.accept_again, ACCEPT_PAUSE_S, 0.0);
		ev_timer_start(d->loop, &d->conn.accept_again);
		return;
	}
}

void ow_peer_read_server(struct ndrxd *d, const struct ow_inst *s)
{
	struct ow_peer *p;

	if (s->peer == NULL)
		accept_all(d, &d->conn.listen_fd, add_own);
	if (s->peer == NULL) {
		LIST_FOREACH(p, &d->conn.peers, link)
			if (p->pid == s->pid && p->inst == NULL)
				break;
		if (p != NULL)
			read_packets(p);
	}
	if (s->peer != NULL)
		read_packets(s->peer);
}

static void on_accept(EV_P_ ev_io *w, int revents)
{
	struct ndrxd *d = w->data;

	accept_all(d, &d->conn.listen_fd, add_own);
}

static void on_accept_guest(EV_P_ ev_io *w, int revents)
{
	struct ndrxd *d = w->data;

	accept_all(d, &d->conn.guest_fd, add_guest);
}

static void on_accept_again(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;

	ev_io_start(d->loop, &d->conn.accept_io);
	if (d->conn.guest_fd >= 0)
		ev_io_start(d->loop, &d->conn.guest_io);
}

void ow_peer_listen(struct ndrxd *d)
{
	ev_io_init(&d->conn.accept_io, on_accept, d->conn.listen_fd, EV_READ);
	d->conn.accept_io.data = d;
	ev_init(&d->conn.accept_again, on_accept_again);
	d->conn.accept_again.data = d;
	ev_io_start(d->loop, &d->conn.accept_io);
}

void ow_peer_unlisten(struct ndrxd *d)
{
	ev_io_stop(d->loop, &d->conn.accept_io);
	ev_timer_stop(d->loop, &d->conn.accept_again);
	if (d->conn.listen_fd >= 0)
		close(d->conn.listen_fd);
	d->conn.listen_fd = -1;
}

void ow_peer_listen_guests(struct ndrxd *d)
{
	if (d->dom == NULL || d->config == NULL)
		return;
	ow_peer_unlisten_guests(d);
	d->conn.guest_fd = ow_guests_listen(d);
	if (d->conn.guest_fd < 0)
		return;
	ev_io_init(&d->conn.guest_io, on_accept_guest, d->conn.guest_fd,
		   EV_READ);
	d->conn.guest_io.data = d;
	ev_io_start(d->loop, &d->conn.guest_io);
}

void ow_peer_unlisten_guests(struct ndrxd *d)
{
	ow_guests_close(d);
	if (d->conn.guest_fd < 0)
		return;
	ev_io_stop(d->loop, &d->conn.guest_io);
	close(d->conn.guest_fd);
	d->conn.guest_fd = -1;
}
