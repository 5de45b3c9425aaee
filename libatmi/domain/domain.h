/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.h - what this process knows of its domain
 *
 * The environment (NDRX_QPREFIX and friends) read and checked once, and the
 * shared segments attached. One per process, made by the first call that
 * needs it. When the domain is stopped and started again, its segments are
 * new ones: who finds it gone leaves and joins anew.
 */
#ifndef OW_DOMAIN_H
#define OW_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_tables;
struct ow_blocks;

#define OW_PREFIX_MAX 40 /* characters of NDRX_QPREFIX */

/* What messages travel in; one way for a whole domain. X(name, word) */
#define OW_TRANSPORTS(X)                                                     \
	X(POSIX, "posix") /* kernel message queues */                        \
	X(SHM, "shm")	  /* queues in shared memory */

enum ow_transport_id {
#define X(name, word) OW_TRANSPORT_##name,
	OW_TRANSPORTS(X)
#undef X
	OW_TRANSPORT_END,
	OW_TRANSPORT_ANY = OW_TRANSPORT_END
};

/* How an idle server learns of a message, or which one does; one way for a
 * whole domain, on shm for each service. X(name, word, transport) */
#define OW_WAKES(X)                                                          \
	X(BELL, "bell", POSIX) /* EPOLLEXCLUSIVE on a pipe beside it */      \
	X(EXCLUSIVE, "exclusive", POSIX) /* ... on the queue itself */       \
	X(HERD, "herd", POSIX) /* all idle servers: for comparison only */   \
	X(HOT, "hot", SHM)     /* who went idle last */                      \
	X(EVEN, "even", ANY)   /* in turn */

enum ow_wake {
#define X(name, word, transport) OW_WAKE_##name,
	OW_WAKES(X)
#undef X
	OW_WAKE_END
};

struct ow_domain {
	char prefix[OW_PREFIX_MAX + 2]; /* NDRX_QPREFIX without leading '/' */
	char shm_dir[64];		/* NDRX_SHMPATH, /dev/shm */
	char run_dir[512];		/* $NDRX_APPHOME/run, "" if unset */
	char sock[544];			/* run_dir/ndrxd.sock, "" if unset */
	long nodeid;			/* NDRX_NODEID, 1 */
	enum ow_transport_id transport;
	bool transport_given;		/* NDRX_TRANSPORT is set */
	enum ow_wake wake;		/* the domain's; see tables.h */
	bool wake_given;		/* NDRX_WAKE is set */
	uint32_t tout_ms;		/* NDRX_TOUT, 60 s */
	uint32_t svc_maxmsg, svc_msgsize; /* first choice of queue shapes */
	uint32_t rep_maxmsg, rep_msgsize;
	uint32_t shm_limit; /* messages of a service's queue on shm */
	uint64_t mq_limit; /* RLIMIT_MSGQUEUE, bytes */
	struct ow_tables *tables;
	struct ow_blocks *blocks;
	_Atomic(void *) mail; /* see mailbox.h */
	int mail_fd;
	int users; /* ow_domain_join() without ow_domain_leave() */
};

#pragma GCC visibility push(default)

/*
 * The domain of this process, joined at the first call. `create` false: only
 * look, never make segments (xadmin). 0, OW_TABLES_* or -errno; the
 * reason in words in `why` (size bytes) when not 0.
 */
int ow_domain_join(bool create, struct ow_domain **ret, char *why, size_t size);
/* The counterpart. The domain stays mapped for the next one who joins, unless
 * it was removed meanwhile. */
void ow_domain_leave(struct ow_domain *d);
/* Was it removed (xadmin stop, down) since we joined? */
bool ow_domain_is_gone(const struct ow_domain *d);

const char *ow_wake_word(enum ow_wake wake);
const char *ow_transport_word(enum ow_transport_id transport);

/* Transport and ways of waking as the tables say them: for those who only
 * look, with d->tables open. */
void ow_domain_learn(struct ow_domain *d);

/* Only the environment, no segment: for xadmin provision, doctor, down. */
int ow_domain_read_env(struct ow_domain *d, char *why, size_t size);

/* Full path of a shared segment: kind "tables", "blocks". */
void ow_domain_shm_path(const struct ow_domain *d, const char *kind,
			char *buf, size_t size);

/* Full path of the orders to the logs of the domain (log/order.h). */
void ow_domain_log_orders(const struct ow_domain *d, char *buf, size_t size);

/*
 * Connect to ndrxd's control socket (paths longer than sun_path work too).
 * A close-on-exec, non-blocking descriptor, or -errno.
 */
int ow_domain_connect(const struct ow_domain *d);
/* Bind and listen; an old socket file without a listener is replaced.
 * -EADDRINUSE: another ndrxd lives. */
int ow_domain_listen(const struct ow_domain *d);

#pragma GCC visibility pop
#endif
