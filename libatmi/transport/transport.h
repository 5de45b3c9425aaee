/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - what a transport has to do: behind the door of queue.h
 *
 * One table of functions per transport. A queue and a wait set begin with the
 * table they belong to; what follows is the transport's own. The contracts
 * are those of queue.h.
 */
#ifndef OW_TRANSPORT_H
#define OW_TRANSPORT_H

#include "libatmi/transport/queue.h"

struct ow_queue_ops {
	struct ow_queue *(*close)(struct ow_queue *q);
	int (*send)(struct ow_queue *q, const void *msg, size_t len,
		    unsigned int prio, uint64_t deadline_ns);
	int (*recv)(struct ow_queue *q, void *buf, size_t size,
		    uint64_t deadline_ns, size_t *ret_len);
	int (*depth)(struct ow_queue *q, uint32_t *ret_depth);
	size_t (*msgsize)(const struct ow_queue *q);
	void (*nudge)(struct ow_queue *q);
	enum ow_queue_care (*care)(struct ow_queue *q);
	void (*served)(struct ow_queue *q, uint64_t took_ns, bool called);
	int (*expect)(struct ow_queue *q, uint32_t replies);
	int (*wait_either)(struct ow_queue *full, struct ow_queue *in,
			   uint64_t deadline_ns);
};

struct ow_waitset_ops {
	struct ow_waitset *(*close)(struct ow_waitset *w);
	int (*add_queue)(struct ow_waitset *w, struct ow_queue *q,
			 uint32_t tag);
	int (*del_queue)(struct ow_waitset *w, struct ow_queue *q);
	int (*add_fd)(struct ow_waitset *w, int fd, uint32_t events,
		      uint32_t tag, enum ow_waitset_fd how);
	int (*del_fd)(struct ow_waitset *w, int fd);
	int (*tick)(struct ow_waitset *w, uint64_t period_ns);
	void (*kick)(struct ow_waitset *w);
	int (*wait)(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events);
};

struct ow_transport {
	int (*create)(struct ow_domain *d, const char *name,
		      struct ow_queue_shape *shape, struct ow_queue **ret);
	int (*open)(struct ow_domain *d, const char *name,
		    struct ow_queue **ret);
	int (*create_reply)(struct ow_domain *d, uint32_t slot,
			    struct ow_queue_shape *shape,
			    struct ow_queue **ret);
	int (*open_reply)(struct ow_domain *d, uint32_t slot,
			  struct ow_queue **ret);
	int (*remove)(struct ow_domain *d, const char *name);
	int (*remove_reply)(struct ow_domain *d, uint32_t slot);
	int (*peek)(struct ow_domain *d, const char *name,
		    uint32_t *ret_depth);
	int (*peek_reply)(struct ow_domain *d, uint32_t slot,
			  uint32_t *ret_depth);
	int (*waitset_open)(struct ow_domain *d, uint32_t srvid,
			    struct ow_waitset **ret);
	void (*srv_ring)(struct ow_domain *d, uint32_t srvid);
};

struct ow_queue {
	const struct ow_queue_ops *ops;
};

struct ow_waitset {
	const struct ow_waitset_ops *ops;
};

extern const struct ow_transport ow_transport_posix, ow_transport_shm;

#endif
