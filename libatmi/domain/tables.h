/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - the shared tables of a domain: services, servers, clients
 *
 * One sparse segment, `<shm>/<prefix>,shm/tables`. Memory is used only for
 * touched pages. Therefore a scan must not read slots at or above the scan
 * limits in the head: reading a hole of a tmpfs file allocates its page. Every
 * process maps the head and the slots. Rows and receive slots, nearly all of
 * the segment, are mapped piece by piece where a process needs them.
 *
 * Who writes what
 *   head.lock     robust, process-shared. Guards what changes the *shape* of
 *                 the tables: server slots, advertise, unadvertise, creating
 *                 and removing a service's queue. Taken by servers and ndrxd,
 *                 never by a client, never on the path of a call.
 *   struct ow_svc name: while `used` is not NAMED; pq*, prio, autotran: ndrxd
 *                 alone; the rest under the lock.
 *   struct ow_srv data plane words: the server alone; `ctl_*`: ndrxd alone.
 *   struct ow_adv the server that owns the row; `awaits`: under the lock.
 *   struct ow_clt the process in `owner`, which one compare-and-swap sets.
 *   struct ow_prc the same.
 *   receive slot  the server that owns it. See below.
 *
 * What a crash leaves
 *   Under the lock: the next process that locks gets EOWNERDEAD and counts
 *   what is derived (ow_svc.nsrv, .awaited) again from what is primary (ow_adv
 *   rows); primary words change by one store each. Elsewhere: a slot
 *   whose process (pid and start time) is gone; reap.h clears it. What a crash
 *   at each step leaves is listed in doc/design/crash.md.
 *
 * The in-flight record is the receive slot itself: a server receives each
 * message straight into shared memory, one message at a time, and clears the
 * magic number when the reply is sent. A process dies only on its way back to
 * user space, when the kernel has finished the copy, so there is no
 * instruction between "out of the queue" and "on record": the request of a
 * killed server is always found and gets an error reply.
 */
#ifndef OW_TABLES_H
#define OW_TABLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/base/pieces.h"
#include "libatmi/base/proc.h"
#include "libatmi/domain/buckets.h"
#include "libatmi/domain/hint.h"
#include "libatmi/domain/counts.h"
#include "libatmi/domain/looks.h"
#include "libatmi/domain/namespace.h"

#define OW_TABLES_MAGIC	  UINT64_C(0x31454c424154574f) /* "OWTABLE1" */
#define OW_TABLES_VERSION 21u

#define OW_STEP_MAX 200 /* bytes of a reason, with the NUL */

#define OW_SRV_MAX     65536u /* server ids 1..65535 index the table */
#define OW_SVC_MAX     65536u /* power of two: open addressing */
#define OW_CLT_MAX     65536u
#define OW_PRC_MAX     65536u /* processes that own blocks; 0: no slot */
#define OW_ADV_MAX     256u  /* services of one server */
#define OW_RX_SIZE     8192u /* receive slot: the largest queue message */
#define OW_SVC_NAME    32u   /* 30 characters, NUL, padding */
/* A service that servers here and other nodes offer has a second name, at which
 * its calls go to other nodes (NDRX_LDBAL): the bridge offers it. */
#define OW_SVC_SHARE	 "@>"
#define OW_SVC_SHARE_MAX 28u   /* longer names have no second one */
#define OW_PQ_SAMPLES  10u   /* of a queue's depth, shown by `xadmin pq` */

enum ow_srv_state {
	OW_SRV_FREE = 0,  /* no process has this slot */
	OW_SRV_STARTING,  /* joined, tpsvrinit() not finished */
	OW_SRV_IDLE,	  /* waiting for a request */
	OW_SRV_BUSY,	  /* in a service function */
	OW_SRV_STOPPING,  /* asked to stop, or leaving */
};

enum ow_svc_used {
	OW_SVC_UNUSED = 0,
	OW_SVC_NAMED,	/* `name` is complete */
	OW_SVC_RENAMED, /* gets another name: do not read it (svc.c) */
};

/* Why calls do not go straight to the queue of a service: bits of `marks`, and
 * one that is no reason. */
enum ow_svc_mark {
	OW_SVC_SUSPENDED = 1, /* `xadmin suspend`: callers get TPENOENT */
	OW_SVC_ROUTED = 2,    /* the data choose the group (route/route.h) */
	OW_SVC_CACHED = 4,    /* a kept reply may do (cache/cache.h) */
	/* Other nodes offer it. While no server here does, its calls go to the
	 * queue of OW_SVC_OVERFLOW, which all bridges serve. A hint that
	 * bridges give: after their death it may stand there for nothing. */
	OW_SVC_REMOTE = 8,
	/* Not a reason: its slot gets no other name, because requests in that
	 * queue name the service by its slot. Set with REMOTE, never cleared.
	 */
	OW_SVC_KEPT = 16,
	OW_SVC_REFUSES = 32, /* not a reason: it is never awaited; ndrxd */
	OW_SVC_DRAINED = 64, /* as suspended, until its servers have gone */
	OW_SVC_DURABLE = 128, /* one-way calls go to a tmqueue (wire/stored.h) */
};
#define OW_SVC_OVERFLOW "@ABROAD"

/* The reasons among `marks`. */
static inline uint8_t ow_svc_reasons(uint8_t marks)
{
	return marks & (uint8_t)~(OW_SVC_KEPT | OW_SVC_REFUSES);
}

/*
 * In `nsrv` while `marks` has a reason. A caller looks at one word, with one
 * branch: if it is not positive, the service has no server or has a mark, and
 * the caller looks closer (call/svcq.c). So marks cost other services nothing.
 * `marks` is primary, the bit is derived from it. Both change under the lock.
 */
#define OW_SVC_SHUT 0x80000000u

/* A service. If it has servers, its queue exists. */
struct ow_svc {
	_Atomic uint32_t used; /* enum ow_svc_used */
	_Atomic uint32_t nsrv; /* servers that advertise it; OW_SVC_SHUT */
	_Atomic uint32_t gen;  /* generation of its queue: counts creations and
				  removals, odd while the queue exists */
	_Atomic uint8_t prio;  /* default priority of its calls, 1..100 */
	_Atomic uint8_t marks; /* enum ow_svc_mark */
	_Atomic uint16_t autotran; /* 1 + time-out, in seconds, of the
				      transaction that a request without one
				      begins; 0: it begins none */
	uint32_t maxmsg;       /* queue shape, valid while gen is odd */
	uint32_t msgsize;
	char name[OW_SVC_NAME];
	_Atomic uint64_t expired; /* requests dropped after their deadline */
	_Atomic uint64_t full;	  /* sends that found the queue full */
	_Atomic uint64_t failed;  /* requests that got TPESVCERR from the
				     runtime, not from a service */
	/* Depth of the queue, sampled by ndrxd alone (<gather_pq_stats>), one
	 * sample per sanity cycle: sample number n is in pq[n % OW_PQ_SAMPLES]
	 * before pq_count becomes n + 1. */
	_Atomic uint64_t pq_sum; /* of all samples */
	_Atomic uint32_t pq_count;
	_Atomic uint32_t pq_peak;
	_Atomic uint16_t pq[OW_PQ_SAMPLES]; /* 65535: that many or more */
	_Atomic uint16_t counted; /* for counting again; lock held */
	_Atomic uint16_t awaited; /* servers that are expected back: the queue
				     is kept (doc/design/restarts.md) */
	_Atomic uint64_t looker; /* posix: who looks, or 0 (announce.h) */
	/* posix: is a server on its way (bell.h)? Each call writes it. */
	_Alignas(64) _Atomic uint64_t bell;
	struct ow_svc_times times; /* of what servers have seen */
	_Alignas(64) _Atomic uint64_t dozing[8]; /* posix: doze.h */
};

/*
 * One service of one server, with its figures, which begin at zero with each
 * server process. Every word is written by that server alone
 * (libatmisrv/figures.c) and once per step; readers add up rows and take
 * differences. The rows also hold what the queue itself does not tell:
 *
 *   mean depth   By Little's law the mean number of messages in the queue is
 *		  the growth of `wait_sum_us` over all rows per microsecond.
 *   peak depth   `depth_peak`: servers look into their queues once a second;
 *		  the highest of all rows. Shorter peaks can pass unseen.
 *   bytes	  depth times the mean payload, `bytes` per request.
 *   oldest	  No message in the queue was sent before the highest
 *		  `front_ns` of all rows. A queue is first in, first out: the
 *		  sending time of a message taken is that of the front, and a
 *		  server that finds the queue empty moves the front to now.
 *		  (now - front) is the age of the oldest message at most. Only
 *		  messages of the lowest priority seen so far move the front,
 *		  because others overtake.
 */
struct ow_adv {
	_Atomic uint32_t svc; /* 1 + service index; 0: row free */
	_Atomic uint32_t depth_peak;
	char func[OW_SVC_NAME]; /* function name, as psc shows it */
	_Atomic uint32_t awaits; /* 1 + service that the server of this slot
				    will offer again (awaited.c); 0: none */
	uint32_t pad0;
	_Atomic uint64_t ok;
	_Atomic uint64_t fail;
	_Atomic uint64_t last_us; /* service time of the last call */
	_Atomic uint64_t max_us;
	_Atomic uint64_t min_us; /* 0: no call yet */
	_Atomic uint64_t sum_us;
	_Atomic uint64_t wait_sum_us; /* time requests lay in the queue */
	_Atomic uint64_t wait_max_us;
	_Atomic uint64_t front_ns; /* monotonic */
	_Atomic uint64_t bytes;	   /* payload of the requests served */
	_Atomic uint64_t wakeups;  /* woken for this queue */
	_Atomic uint64_t vain;	   /* of these: found it empty */
	_Atomic uint64_t hist[OW_HIST_BUCKETS];	     /* service time */
	_Atomic uint64_t wait_hist[OW_HIST_BUCKETS]; /* time in the queue */
	uint64_t pad1[14];
};

/*
 * A server process; slot number = server id. Each further dispatch thread of a
 * process has a slot of its own, at the end of the table, and with it all that
 * a server has: rows, in-flight record, wake word. For callers and for other
 * servers it is one more server; only ndrxd and listings look at `of`.
 */
struct ow_srv {
	_Atomic uint32_t state; /* enum ow_srv_state */
	_Atomic int32_t pid;	/* 0: free */
	_Atomic uint64_t start; /* its start time, /proc/PID/stat field 22 */
	_Atomic uint32_t nadv;	/* rows of ow_adv ever used: the scan limit */
	_Atomic uint32_t cur_adv; /* 1 + row of the request being served */
	_Atomic uint64_t cur_since; /* monotonic ns */
	_Atomic uint64_t requests;  /* received */
	_Atomic uint64_t garbage;   /* messages dropped: malformed */
	_Atomic uint64_t wakeups;   /* times it came out of its wait */
	_Atomic uint64_t lost_replies; /* replies to clients that are gone */
	char bin[64];		       /* program name */
	/* written by processes that wake it or want its attention */
	_Atomic uint32_t wake_word; /* futex; shm/shmq.h, posix/doze.h */
	_Atomic uint32_t attention; /* not 0: descriptors are to be looked at */
	uint64_t pad0[6];
	/* Dispatch threads. Of the slot of a thread: the server id of its
	 * process, and the number of the thread there, from 2. Both 0: the
	 * slot of a process, whose main thread is number 1. Set before pid,
	 * cleared after it, under the lock. */
	_Atomic uint32_t of, thread;
	/* written by ndrxd */
	_Atomic uint32_t ctl_state; /* enum ow_proc_state of ctl.h */
	_Atomic uint32_t ctl_restarts;
	_Atomic int32_t ctl_exit; /* wait status of the last exit */
	_Atomic uint32_t ctl_want; /* 1: wanted running, whatever its state */
	_Atomic uint64_t ctl_changed; /* monotonic ns of the last change */
	/* The process that ndrxd started or adopted and has not seen end yet.
	 * Set before that process takes its slot and kept after it has given
	 * the slot back. */
	_Atomic uint64_t ctl_start; /* its start time */
	_Atomic int32_t ctl_pid;    /* 0: none; written after ctl_start */
	char ctl_group[32];	    /* its process group, "" none */
	_Atomic uint32_t nawait; /* scan limit of `awaits`; lock held */
	_Atomic uint32_t tid; /* the thread that serves; 0: not known */
	/* By ndrxd: starts in a row whose process ended soon; GRPNO, or 0. */
	_Atomic uint32_t ctl_failures, ctl_grpno;
	uint32_t pad1[59];
};

/*
 * Behind the text of a client id: where its context is found. A program that
 * copies the text alone loses it; then the slots are searched for the text.
 */
#define OW_CLTID_TAIL  80u /* its place */
#define OW_CLTID_MAGIC 0x5444494fu
struct ow_cltid_tail {
	uint32_t magic, slot, gen;
};

/* A context that calls: of a client, or of a server that calls services. */
struct ow_clt {
	_Atomic uint32_t gen; /* generation: one more with each taking and each
				 giving back; odd: in use */
	_Atomic uint32_t inbox; /* generation that opened the slot's inbox and
				   wants unsolicited messages; 0: the inbox has
				   no memory (transport/inbox.h) */
	_Atomic ow_proc_id owner; /* 0: free. Set before the slot is filled,
				     cleared after it is empty */
	uint32_t ctx;	/* number of the context in its process */
	uint32_t srvid; /* of the server it belongs to, 0: a client */
	uint32_t maxmsg, msgsize; /* mailbox */
	uint32_t runtime; /* 1: of a process of the runtime (door/runtime.h) */
	_Atomic uint32_t mailbox; /* 1: the slot's mailbox has memory */
	_Atomic uint32_t postponed; /* 1: refusals wait for room in its reply
				       queue (transport.h, postpone()) */
	char cltid[96]; /* clt,<name>,<pid>,<ctx>,<node>; struct ow_cltid_tail */
	_Atomic uint64_t calls;
	_Atomic uint64_t timeouts;
	_Atomic uint64_t late; /* replies dropped: timed out or cancelled */
	_Atomic uint32_t outstanding;
	_Atomic uint32_t prc; /* its process slot; see struct ow_prc */
	/* What it waits for, noted when a wait has become long. Meaning and
	 * order: wait_note.h */
	_Atomic uint64_t wait_seq, wait_since_ns, wait_deadline_ns;
	_Atomic uint64_t oneway; /* of the calls: without a reply */
	_Atomic uint32_t wait_svc;
	/* What it has given to tpinit(): counts if said_gen, which is set last,
	 * is `gen` (an older program leaves what stood in the slot). */
	_Atomic uint32_t said_gen;
	uint32_t said_name; /* 1: the name in cltid is its own */
	char said_user[32];
	_Atomic uint32_t wait_how; /* wait_note.h */
};

/*
 * A process, as the owner of blocks (block.h). A process takes a slot when it
 * first needs one, and gives it back at its exit. The sweep frees the slot of a
 * dead process when no block names it any more.
 */
struct ow_prc {
	_Atomic ow_proc_id owner; /* 0: free */
};

struct ow_tables_head {
	uint64_t magic;
	uint32_t version;
	_Atomic uint32_t transport; /* struct ow_transport.id; 0: open */
	uint64_t size;	    /* of the segment: changes with any layout change */
	char boot_id[40];   /* /proc/sys/kernel/random/boot_id of creation */
	_Atomic uint64_t pid_namespace; /* of all its processes; namespace.h */
	pthread_mutex_t lock;
	/* What callers must show before they are served (door/rules.h); 0:
	 * nothing. Servers read it with clt_high for each request. By ndrxd */
	_Atomic uint32_t guards;
	_Atomic uint32_t clt_high; /* scan limits: 1 + highest slot used */
	_Atomic uint32_t clt_hint; /* hint.h: where a free slot may be */
	_Atomic uint32_t nsvc;	   /* services ever named */
	_Atomic int32_t ndrxd_pid;
	_Atomic uint32_t srv_high; /* as clt_high */
	_Atomic uint64_t ndrxd_start;
	_Atomic uint64_t mq_bytes; /* RLIMIT_MSGQUEUE bytes this domain uses */
	_Atomic uint64_t mq_share; /* bytes that a new queue may cost; 0: no
				      bound. By the maker of the domain */
	char step[OW_STEP_MAX]; /* why `transport` is not the first choice of
				   auto, "" if it is. By the maker, once */
	_Atomic uint64_t garbage;  /* malformed replies */
	_Atomic uint32_t gone;	   /* 1: removed; processes must join again */
	_Atomic uint32_t wake;	   /* 1 + enum ow_wake; 0: not yet decided */
	_Atomic uint32_t prc_high, prc_hint; /* as clt_high, clt_hint */
	_Atomic uint32_t routes; /* version of their file, by ndrxd; 0: none */
	_Atomic uint32_t caches; /* 1: a service is, or was, cached; ndrxd */
	/* Who holds `lock`, and since when (monotonic ns): for messages. */
	_Atomic ow_proc_id lock_owner;
	_Atomic uint64_t lock_ns;
	_Atomic ow_proc_id remover; /* removes the domain; reap_domain.c */
	_Atomic uint64_t missed_ns; /* since then callers miss ndrxd: set by the
				       first of them, cleared by ndrxd */
	_Atomic uint64_t lost; /* one-way requests that were not executed */
	_Atomic uint64_t spans_until; /* monotonic ns, by the reader of spans
					 (span/ring.h); 0: there is none */
	_Atomic uint32_t spans_one_in, spans_slow_ms; /* its choice: note.h */
	_Atomic uint32_t hold; /* 1: maintenance mode; by ndrxd */
	_Atomic uint32_t lost_s; /* of the last one, monotonic; 0: unknown */
	struct ow_looks looks;
	struct ow_done_shard done[OW_DONE_SHARDS];
	_Atomic uint32_t svc_list[OW_SVC_MAX]; /* nsvc service indexes, in
						  order of naming */
	_Atomic uint64_t srv_map[OW_SRV_MAX / 64]; /* bit: slot was ever used */
	_Atomic uint64_t svc_map[OW_SVC_MAX / 64]; /* bit: ow_svc has memory */
};

/*
 * Does a process live? False only if it is dead; one that has died lately may
 * count as alive for a while. For a process that looks at all others again and
 * again, and knows better than to read /proc for each (ndrxd).
 */
typedef bool ow_lives_fn(void *arg, ow_proc_id id);

/* A mapping of the tables. Plain pointers into the segment. */
struct ow_tables {
	struct ow_tables_head *head;
	struct ow_svc *svc;
	struct ow_srv *srv;
	struct ow_clt *clt;
	struct ow_prc *prc;
	struct ow_done_row *did; /* by slot */
	struct ow_pieces *rows, *receive; /* ow_tables_adv(), ow_tables_rx() */
	int fd;
	bool writable;
	bool recounted;		/* lock held: say so when it is released */
	uint64_t patience_ns;	/* how long to wait for the lock */
	_Atomic uint64_t try_until_ns; /* until then do not wait for it again */
	ow_lives_fn *lives;	/* NULL: /proc is asked */
	void *lives_arg;
	_Atomic uint32_t self; /* process slot of this process; see prc.c */
	_Atomic uint32_t self_forks;
};

_Static_assert(sizeof(struct ow_svc) == 256, "ow_svc: four cache lines");
_Static_assert(sizeof(struct ow_adv) == 768, "ow_adv: 12 cache lines");
_Static_assert(sizeof(struct ow_srv) == 512, "ow_srv: 8 slots to a page");
_Static_assert(sizeof(struct ow_clt) == 256, "ow_clt: 16 slots to a page");
_Static_assert(OW_CLT_MAX == OW_HINT_SLOTS && OW_PRC_MAX == OW_HINT_SLOTS,
	       "slots fit the hints");
_Static_assert(offsetof(struct ow_tables_head, looks) == 512, "no new layout");
_Static_assert(sizeof(struct ow_prc) == 8, "ow_prc: 512 slots to a page");

enum ow_tables_result {
	OW_TABLES_ABSENT = 1,  /* open without create: no such domain */
	OW_TABLES_FOREIGN = 2, /* wrong magic, version, size or boot */
	OW_TABLES_NOSPACE = 3, /* the shared-memory file system is full */
	OW_TABLES_TAKEN = 4,   /* slot has a living process */
	OW_TABLES_LIMIT = 5,   /* no free slot or row */
	OW_TABLES_CROWDED = 6, /* no free process slot */
	OW_TABLES_LOCKED = 7,  /* another process keeps the domain lock */
	/* open: of another PID namespace; /proc does not show this process */
	OW_TABLES_APART = OW_NAMESPACE_APART,
	OW_TABLES_BLIND = OW_NAMESPACE_BLIND,
};

/*
 * Map the tables at `path` (see domain.h); with `create`, make them when
 * absent. 0; FOREIGN, the file stays as it is; ABSENT; NOSPACE; APART; BLIND;
 * -errno.
 */
int ow_tables_open(const char *path, bool create, struct ow_tables **ret);
/* Map the tables that `fd` is open on: 0, and *ret owns fd; FOREIGN, APART,
 * BLIND, -EPERM, -errno, and fd stays the caller's. `name` is for the text of
 * a refusal. */
int ow_tables_attach(int fd, const char *name, struct ow_tables **ret);
struct ow_tables *ow_tables_close(struct ow_tables *t);
/* For a process that only looks: a stray write to the tables is a SIGSEGV from
 * now on, not damage in the domain. */
void ow_tables_protect(struct ow_tables *t);
static inline void ow_tables_closep(struct ow_tables **t)
{
	*t = ow_tables_close(*t);
}

/*
 * Take the domain lock (lock.c): 0; LOCKED, its holder keeps it for longer
 * than this process waits; -EINVAL, it is damaged. Without the lock nothing
 * that it guards may be changed. A holder that is stopped by a signal is
 * continued. After the death of its holder nsrv is counted again. Whoever
 * holds it waits for nothing; lines that it logs are written after the
 * unlock.
 */
__attribute__((warn_unused_result)) int ow_tables_lock(struct ow_tables *t);
void ow_tables_unlock(struct ow_tables *t);
/* Who holds the lock, in words: "process 7 (banksv), stopped by a signal, for
 * 12.0 s". False: nobody, or its holder has died. */
bool ow_tables_lock_holder(const struct ow_tables *t, char *buf, size_t size);
/* Wait no longer than this for the lock. For a process that must not wait. */
void ow_tables_set_patience(struct ow_tables *t, uint64_t ns);

/* Answer ow_tables_lives() by `fn`; NULL: from /proc. */
void ow_tables_set_lives(struct ow_tables *t, ow_lives_fn *fn, void *arg);
/* May the process still live? For those who look again later. */
bool ow_tables_lives(const struct ow_tables *t, ow_proc_id id);

/*
 * The rows of a server, and its receive slot. Without address space for them:
 * zeros (no rows, no message), which must not be written. The server itself
 * has them since it took its slot.
 */
#define OW_SRV_PIECE 64u /* servers whose rows are mapped together */
extern struct ow_adv ow_adv_none[OW_ADV_MAX];
extern uint8_t ow_rx_none[OW_RX_SIZE];

static inline struct ow_adv *ow_tables_adv(const struct ow_tables *t,
					   uint32_t srvid)
{
	char *p = ow_piece(t->rows, srvid / OW_SRV_PIECE);

	return p == NULL ? ow_adv_none
			 : (struct ow_adv *)p +
			       (size_t)(srvid % OW_SRV_PIECE) * OW_ADV_MAX;
}

static inline uint8_t *ow_tables_rx(const struct ow_tables *t, uint32_t srvid)
{
	char *p = ow_piece(t->receive, srvid / OW_SRV_PIECE);

	return p == NULL ? ow_rx_none
			 : (uint8_t *)p +
			       (size_t)(srvid % OW_SRV_PIECE) * OW_RX_SIZE;
}

/* Reserve memory for `len` bytes at `p` in the head or a slot: 0, NOSPACE,
 * -errno. */
int ow_tables_reserve(const struct ow_tables *t, const void *p, size_t len);

/* The same for a server's receive slot, and for rows `from` to `to` - 1; both
 * are mapped, too: -ENOMEM, no address space. */
int ow_tables_reserve_rx(const struct ow_tables *t, uint32_t srvid);
int ow_tables_reserve_rows(const struct ow_tables *t, uint32_t srvid,
			   uint32_t from, uint32_t to);
/* Has this process address space for both? */
bool ow_tables_reach(const struct ow_tables *t, uint32_t srvid);
/* Words of a row, also where it cannot be mapped: for decisions. */
uint32_t ow_tables_row_svc(const struct ow_tables *t, uint32_t srvid,
			   uint32_t row);
uint32_t ow_tables_row_awaits(const struct ow_tables *t, uint32_t srvid,
			      uint32_t row);

/* ---- service slots (svc.c) ---- */

/* Index of service `name`, or -1. Lock-free. */
int ow_svc_find(const struct ow_tables *t, const char *name);
/* Is this the slot of service `name`? Lock-free. */
bool ow_svc_is(const struct ow_svc *s, const char *name);
/* The servers that advertise it. */
static inline uint32_t ow_svc_servers(const struct ow_svc *s)
{
	return atomic_load(&s->nsrv) & ~OW_SVC_SHUT;
}

/* May a request that names it lie in the queue of OW_SVC_OVERFLOW? */
static inline bool ow_svc_may_overflow(const struct ow_svc *s)
{
	return (atomic_load(&s->marks) & OW_SVC_KEPT) != 0;
}

/* Has it servers, and no mark? */
static inline bool ow_svc_is_open(const struct ow_svc *s)
{
	return (int32_t)atomic_load(&s->nsrv) > 0;
}

/* Set or clear `mark` of service `svc`; false: it had it, or had it not. Lock
 * held. */
bool ow_svc_set_mark(struct ow_tables *t, uint32_t svc, enum ow_svc_mark mark,
		     bool on);
/* As ow_svc_find(), giving a new name a slot; lock held. -1: no slot, no memory, or
 * the name is too long. */
int ow_svc_name(struct ow_tables *t, const char *name);

/* ---- services whose servers are expected back (awaited.c) ---- */

static inline bool ow_svc_is_awaited(const struct ow_svc *s)
{
	return atomic_load(&s->awaited) != 0;
}

/* Will its queue be served: by servers that are there, or are expected? */
static inline bool ow_svc_has_future(const struct ow_svc *s)
{
	return ow_svc_servers(s) != 0 || ow_svc_is_awaited(s);
}

/* Server `srvid` had service `svc` in `row`, and is expected back. Lock held. */
void ow_await(struct ow_tables *t, uint32_t srvid, uint32_t row, uint32_t svc);
/* The server offers it again, or will not: false, it was not expected to. Lock
 * held. */
bool ow_await_over(struct ow_tables *t, uint32_t srvid, uint32_t svc);
/* The first service that server `srvid` is expected to offer again; -1: none. */
int ow_await_first(const struct ow_tables *t, uint32_t srvid);
/* Does ndrxd live, or has it not been missed for long? */
bool ow_await_is_reasonable(const struct ow_tables *t);

/* ---- server slots (srv.c) ---- */

/* Take slot `srvid` for this process: 0, TAKEN, NOSPACE, LOCKED, -errno. The
 * slot of a dead process must have been reaped before (reap.h). */
int ow_srv_take(struct ow_tables *t, uint32_t srvid, const char *bin);
/* Reserve memory for slot `srvid` and count it as used before a process takes
 * it: ndrxd writes there about a server that it will start. 0, NOSPACE,
 * -errno. */
int ow_srv_know(struct ow_tables *t, uint32_t srvid);
/* Reserve memory for a row of a server, before it is written: 0, NOSPACE,
 * -errno. */
int ow_srv_need_row(struct ow_tables *t, uint32_t srvid, uint32_t row);
/* Take a free slot for a further thread of this process, which serves as `of`:
 * 0 with *ret_slot, LIMIT, NOSPACE, LOCKED, -errno. */
int ow_srv_take_thread(struct ow_tables *t, uint32_t of, uint32_t thread,
		       const char *bin, uint32_t *ret_slot);
/* Is this the slot of a further thread of a server? */
static inline bool ow_srv_is_thread(const struct ow_tables *t, uint32_t srvid)
{
	return atomic_load_explicit(&t->srv[srvid].of,
				    memory_order_relaxed) != 0;
}

/* Free the slot; its rows must be free. Lock held. */
void ow_srv_clear(struct ow_tables *t, uint32_t srvid);
/* Is the process in this slot alive? */
bool ow_srv_alive(const struct ow_tables *t, uint32_t srvid);
/* The next server id >= `from` whose slot was ever used; 0: no more. */
uint32_t ow_srv_next(const struct ow_tables *t, uint32_t from);

/* ---- client slots (clt.c) ---- */

/* Has the context that had generation `gen` of the slot not left? Slots past the
 * mark were never used: their pages are not touched. */
static inline bool ow_clt_lives(const struct ow_tables *t, uint32_t slot,
				uint32_t gen)
{
	return (gen & 1) != 0 && slot < OW_CLT_MAX &&
	       slot < atomic_load(&t->head->clt_high) &&
	       atomic_load(&t->clt[slot].gen) == gen;
}

/* Take a free slot for this process: 0 with *ret_slot, LIMIT, CROWDED, NOSPACE,
 * -errno. No lock. */
int ow_clt_take(struct ow_tables *t, uint32_t *ret_slot);
/* End the slot's generation `gen`: no reply is sent to it any more. False: it
 * had ended. */
bool ow_clt_close(struct ow_tables *t, uint32_t slot, uint32_t gen);
/* Become the owner of the slot of a dead process; false: another process has.
 * For reapers. */
bool ow_clt_seize(struct ow_tables *t, uint32_t slot, ow_proc_id dead);
/* Free a closed slot of this process; close and free. */
void ow_clt_free(struct ow_tables *t, uint32_t slot);
void ow_clt_clear(struct ow_tables *t, uint32_t slot);
/* The name of its mailbox in listings, without prefix; "": the slot has no
 * context yet. `buf` holds OW_CLT_QUEUE bytes. */
#define OW_CLT_QUEUE 96u
char *ow_clt_queue(const struct ow_tables *t, uint32_t slot, char *buf);
uint64_t ow_done_sum(const struct ow_tables *t, enum ow_done what);

/* Raise a scan limit of the head to at least `to`. For srv.c and clt.c. */
void ow_tables_raise_mark(_Atomic uint32_t *mark, uint32_t to);

#endif
