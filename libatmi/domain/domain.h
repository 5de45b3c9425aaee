/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.h - what a process knows of its domain
 *
 * The settings from the environment (NDRX_QPREFIX and friends), read and
 * checked once by member/settings.c, and the shared segments that
 * member/join.c has attached. All threads of a process share the object.
 */
#ifndef OW_DOMAIN_H
#define OW_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

struct ow_blocks;
struct ow_cache;
struct ow_callers;
struct ow_pieces;
struct ow_subs;
struct ow_tables;
struct ow_transport;

#define OW_PREFIX_MAX 40 /* characters of NDRX_QPREFIX */

/* Boxes of one kind, one for each client slot (boxes.h). */
struct ow_boxes {
	_Atomic(struct ow_pieces *) pieces; /* NULL: not mapped */
	int fd;				    /* of the segment while mapped */
};

/*
 * How an idle server learns of a message: the values of NDRX_WAKE. Each
 * transport knows some of them (transport.h). X(name, word)
 */
#define OW_WAKES(X)                                                          \
	X(BELL, "bell")		  /* one byte in a FIFO for each message */  \
	X(EXCLUSIVE, "exclusive") /* the queue itself, EPOLLEXCLUSIVE */     \
	X(HERD, "herd") /* all idle servers: for comparison only */          \
	X(HOT, "hot")	/* the server that went idle last */                 \
	X(EVEN, "even") /* all servers in turn */

enum ow_wake {
#define X(name, word) OW_WAKE_##name,
	OW_WAKES(X)
#undef X
	OW_WAKE_END
};

struct ow_queue_shape {
	uint32_t maxmsg;  /* messages */
	uint32_t msgsize; /* bytes: header and inline payload */
};

/* What a domain is made for, as far as its maker knows; all 0: unknown. */
struct ow_load {
	uint32_t services;
};

struct ow_domain {
	char prefix[OW_PREFIX_MAX + 2]; /* NDRX_QPREFIX without leading '/' */
	char shm_dir[64];		/* NDRX_SHMPATH, /dev/shm */
	char run_dir[512];		/* $NDRX_APPHOME/run, "" if unset */
	char sock[544];			/* run_dir/ndrxd.sock, "" if unset */
	long nodeid;			/* NDRX_NODEID, 1 */
	char lmid[32];			/* NDRX_LMID; nodeid as text */
	/* The environment's; when joined, the domain's. */
	const struct ow_transport *transport;
	bool transport_given;		/* NDRX_TRANSPORT names one */
	enum ow_wake wake;		/* as `transport` */
	bool wake_given;		/* NDRX_WAKE is set */
	uint32_t tout_ms;		/* NDRX_TOUT, 60 s */
	long ldbal; /* NDRX_LDBAL: of 100 calls, so many go to other nodes */
	struct ow_waking waking;	/* NDRX_WAKE_POLICY */
	struct ow_queue_shape service_shape; /* first choice */
	uint64_t mq_limit; /* RLIMIT_MSGQUEUE, bytes; 0: none */
	struct ow_load load; /* of a process that may make the domain */
	struct ow_tables *tables;
	struct ow_blocks *blocks;
	struct ow_boxes mail;	 /* transport/mail/mailbox.h */
	struct ow_boxes mail_large; /* there, too */
	_Atomic int mail_socket; /* transport/mail/socket.h: 1 + descriptor */
	struct ow_boxes inboxes; /* transport/inbox.h */
	_Atomic(struct ow_subs *) subs; /* subs/subs.h */
	_Atomic(struct ow_callers *) callers; /* door/callers.h */
	_Atomic(struct ow_cache *) cache; /* cache/cache.h */
	int users; /* ow_domain_join() without ow_domain_leave() */
};

/* Was the domain removed (xadmin stop, down) since this process joined? */
bool ow_domain_is_gone(const struct ow_domain *d);

/* May this process remove the next object of the domain? Not if another one
 * has become its remover (member/reap_domain.c). */
bool ow_domain_may_remove(const struct ow_domain *d);

const char *ow_wake_word(enum ow_wake wake);
/* The wake mode called `word`: 0 or -EINVAL. */
int ow_wake_find(const char *word, enum ow_wake *ret);

/* The folder of the domain's shared memory, which only its user may enter
 * (base/owned.h). */
void ow_domain_folder(const struct ow_domain *d, char *buf, size_t size);
/* Is the folder there, and ours? `make`: make it if it is not there. 0,
 * -ENOENT, -EPERM (base/owned.h), -errno. */
int ow_domain_enter(const struct ow_domain *d, bool make);
/* Full path of an object in it: kind "tables", "blocks". */
void ow_domain_shm_path(const struct ow_domain *d, const char *kind,
			char *buf, size_t size);

/* The beginning of the full paths of all segments of the domain. */
void ow_domain_segments(const struct ow_domain *d, char *buf, size_t size);

/* Full path of the orders to the logs of the domain (log/order.h). */
void ow_domain_log_orders(const struct ow_domain *d, char *buf, size_t size);

/* Full path of the configuration in force, which ndrxd writes. */
#define OW_IN_FORCE_PATH 544
void ow_domain_in_force(const struct ow_domain *d,
			char buf[OW_IN_FORCE_PATH]);

/*
 * Connect to ndrxd's control socket (paths longer than sun_path work too).
 * A close-on-exec, non-blocking descriptor, or -errno.
 */
int ow_domain_connect(const struct ow_domain *d);
/* Bind and listen; an old socket file without a listener is replaced.
 * -EADDRINUSE: another ndrxd lives. */
int ow_domain_listen(const struct ow_domain *d);

#endif
