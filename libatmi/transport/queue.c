/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - the door: each call goes to the domain's transport
 */
#include "libatmi/transport/queue.h"

#include "libatmi/transport/transport.h"

static const struct ow_transport *const transports[OW_TRANSPORT_END] = {
	[OW_TRANSPORT_POSIX] = &ow_transport_posix,
	[OW_TRANSPORT_SHM] = &ow_transport_shm,
};

static const struct ow_transport *of(const struct ow_domain *d)
{
	return transports[d->transport];
}

int ow_queue_create(struct ow_domain *d, const char *name,
		    struct ow_queue_shape *shape, struct ow_queue **ret)
{
	return of(d)->create(d, name, shape, ret);
}

int ow_queue_open(struct ow_domain *d, const char *name, struct ow_queue **ret)
{
	return of(d)->open(d, name, ret);
}

int ow_queue_create_reply(struct ow_domain *d, uint32_t slot,
			  struct ow_queue_shape *shape, struct ow_queue **ret)
{
	return of(d)->create_reply(d, slot, shape, ret);
}

int ow_queue_open_reply(struct ow_domain *d, uint32_t slot,
			struct ow_queue **ret)
{
	return of(d)->open_reply(d, slot, ret);
}

struct ow_queue *ow_queue_close(struct ow_queue *q)
{
	return q != NULL ? q->ops->close(q) : NULL;
}

int ow_queue_remove(struct ow_domain *d, const char *name)
{
	return of(d)->remove(d, name);
}

int ow_queue_remove_reply(struct ow_domain *d, uint32_t slot)
{
	return of(d)->remove_reply(d, slot);
}

int ow_queue_send(struct ow_queue *q, const void *msg, size_t len,
		  unsigned int prio, uint64_t deadline_ns)
{
	return q->ops->send(q, msg, len, prio, deadline_ns);
}

int ow_queue_recv(struct ow_queue *q, void *buf, size_t size,
		  uint64_t deadline_ns, size_t *ret_len)
{
	return q->ops->recv(q, buf, size, deadline_ns, ret_len);
}

int ow_queue_depth(struct ow_queue *q, uint32_t *ret_depth)
{
	return q->ops->depth(q, ret_depth);
}

int ow_queue_peek(struct ow_domain *d, const char *name, uint32_t *ret_depth)
{
	return of(d)->peek(d, name, ret_depth);
}

int ow_queue_peek_reply(struct ow_domain *d, uint32_t slot,
			uint32_t *ret_depth)
{
	return of(d)->peek_reply(d, slot, ret_depth);
}

size_t ow_queue_msgsize(const struct ow_queue *q)
{
	return q->ops->msgsize(q);
}

void ow_queue_nudge(struct ow_queue *q)
{
	q->ops->nudge(q);
}

enum ow_queue_care ow_queue_care(struct ow_queue *q)
{
	return q->ops->care(q);
}

void ow_queue_served(struct ow_queue *q, uint64_t took_ns, bool called)
{
	q->ops->served(q, took_ns, called);
}

int ow_queue_expect(struct ow_queue *q, uint32_t replies)
{
	return q->ops->expect(q, replies);
}

int ow_queue_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline_ns)
{
	return full->ops->wait_either(full, in, deadline_ns);
}

/* ---- waiting ---- */

int ow_waitset_open(struct ow_domain *d, uint32_t srvid,
		    struct ow_waitset **ret)
{
	return of(d)->waitset_open(d, srvid, ret);
}

struct ow_waitset *ow_waitset_close(struct ow_waitset *w)
{
	return w != NULL ? w->ops->close(w) : NULL;
}

int ow_waitset_add_queue(struct ow_waitset *w, struct ow_queue *q,
			 uint32_t tag)
{
	return w->ops->add_queue(w, q, tag);
}

int ow_waitset_del_queue(struct ow_waitset *w, struct ow_queue *q)
{
	return w->ops->del_queue(w, q);
}

int ow_waitset_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		      uint32_t tag, enum ow_waitset_fd how)
{
	return w->ops->add_fd(w, fd, events, tag, how);
}

int ow_waitset_del_fd(struct ow_waitset *w, int fd)
{
	return w->ops->del_fd(w, fd);
}

int ow_waitset_tick(struct ow_waitset *w, uint64_t period_ns)
{
	return w->ops->tick(w, period_ns);
}

void ow_waitset_kick(struct ow_waitset *w)
{
	w->ops->kick(w);
}

int ow_waitset_wait(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events)
{
	return w->ops->wait(w, wait, ret_tag, ret_events);
}

void ow_srv_ring(struct ow_domain *d, uint32_t srvid)
{
	of(d)->srv_ring(d, srvid);
}
