/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - what a thread that serves has; most server processes have one
 *
 * The main thread waits for the service queues and ndrxd's control socket, and
 * serves one request at a time. Further dispatch threads (pool.h) wait for the
 * service queues only, each with an object and a slot of its own.
 */
#ifndef OW_SERVER_H
#define OW_SERVER_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <tpbind.h>
#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/domain/tables.h"
#include "libatmi/door/door.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/transport.h"

struct ow_continued;
struct ow_conversion;
struct ow_options;
struct ow_pool;
struct ow_server;

/* The function of a service: one argument, or a pointer of the program, too. */
struct ow_serves {
	void (*p_func)(TPSVCINFO *); /* NULL: `with` is it */
	void (*with)(TPSVCINFO *, void *);
	void *data;
};

/* A service that this server offers. Its index is the row of its ow_adv. */
struct ow_offer {
	char name[32]; /* "": the row is free */
	char shown[32]; /* as TPSVCINFO has it: without @GROUP */
	char func[32];
	void (*p_func)(TPSVCINFO *);
	void (*threaded)(TPSVCINFO *); /* that of the program, if p_func is
					  one of the pool */
	struct ow_serves serves; /* as the program gave it */
	const struct ow_conversion *conversion; /* -x; NULL: none */
	bool forced;		/* the mode ends in F */
	bool wanted;		/* to be published */
	bool alone;		/* one server of the domain offers it */
	bool any; /* of any service that other nodes offer (OW_SVC_REMOTE) */
	struct ow_queue *queue; /* open while published */
	bool paused;  /* nothing is taken from it for a while (deferred.h) */
	bool unwatched; /* with it: the wait set does not have it */
	uint32_t svc;		/* index in the table */
	uint32_t backlog;	/* messages found by a poll, yet to be taken */
	uint8_t prio_low;	/* lowest priority received; 0: none yet */
};

/* The request in hand. */
struct ow_in_hand {
	jmp_buf out;		  /* tpreturn() and tpforward() jump here */
	bool active, returned;	  /* in its service; its outcome is settled */
	uint32_t forks; /* of the process when the service began */
	bool failed;		  /* counts as a failure in the statistics */
	int tperr; /* of its reply, if `failed` and spans are noted */
	bool counted, counted_failed; /* in the statistics already */
	bool unsent; /* set where its reply finds no receiver (own.h) */
	int conv;    /* its conversation; -1: none */
	uint64_t own_tran; /* its transaction, if it was begun for it and ends
			      with it (AUTOTRAN); 0: none */
	int32_t own_log;   /* with it: the mark of its log (wire/msg.h) */
	uint64_t taken_tran; /* of a proxy server: that of the request, which
				the thread has joined; 0: none */
	struct ow_adv *adv;	  /* of the service */
	struct ow_envelope envelope; /* over the in-flight record */
	const struct ow_msg *msg; /* its header */
	uint64_t since_ns;
	uint64_t took_ns; /* 0: not yet done, or nothing was done */
	/* The same request, since it was handed on (continued.h); `active` is
	 * false then. NULL: it was not. */
	struct ow_continued *continued;
};

/* Descriptors and callbacks that the program has added (tpext.c). */
struct ow_ext {
	struct ow_poller *pollers;
	uint32_t npollers;
	int (*b4poll)(void *); /* with its pointer */
	void *b4poll_data;
	int (*period)(void *);
	void *period_data;
	uint64_t period_ns, due_ns;
};

/* Callbacks and tables of a program, from main() or _tmstartserver(). */
struct ow_program {
	int (*init)(int, char **);
	void (*done)(void);
	int (*thrinit)(int, char **); /* in each dispatch thread, or NULL */
	void (*thrdone)(void);
	const struct tpserver *with; /* the same with a pointer of the program,
					in place of these; or NULL */
	const struct tmdsptchtbl_t *builtin; /* ends with a NULL row, or NULL */
	bool no_longjmp;
};

/* What a server with dispatch threads does beside (pool.c); files below pool.c
 * call it through this table. */
struct ow_pool_hooks {
	/* After a service of any thread. */
	void (*rest)(struct ow_server *s);
	/* A tick of any thread. */
	void (*tick)(struct ow_server *s, uint64_t now);
	/* The wait set of the thread was kicked. True: it stops. */
	bool (*kicked)(struct ow_server *s);
	/* A further thread wants the process to stop; `leaving`: for good. */
	void (*exit)(struct ow_server *s, bool leaving);
	/* The main thread has withdrawn a service, or published it again. */
	void (*offers_changed)(struct ow_server *s);
	/* tpadvertise() in tpsvrthrinit(): a service of all threads. 0, or -1
	 * with tperrno. */
	int (*advertise)(struct ow_server *s, const char *svc,
			 const char *func, struct ow_serves f);
};

struct ow_server {
	struct ow_options *opt;
	uint32_t id; /* of its slot: the server id; a further thread's own */
	uint32_t forks; /* of the process, when it became this server */
	struct ow_server *main; /* of a further thread; NULL: the main thread */
	struct ow_pool *pool;	/* NULL: one thread */
	const struct ow_pool_hooks *hooks; /* with the pool, else NULL */
	uint64_t rested_ns;	/* of a further thread: idle since */
	bool busy;		/* counted as busy in the pool */
	bool counted_out;	/* not counted as a thread of the pool any more */
	struct ow_ctx *ctx;
	struct ow_domain *dom;
	struct ow_srv *slot;
	struct ow_adv *adv; /* rows of this server */
	void *own_record; /* malloc'ed memory to receive into, or NULL: the
			     transport has an in-flight record */
	struct ow_waitset *waitset;
	struct ow_replier *replier;
	uint32_t noffers;
	bool published; /* tpsvrinit() is over: publish at once */
	bool stop;
	bool ending; /* it is to stop, and goes on until may_end() */
	bool (*may_end)(void); /* own.h; NULL: at once */
	volatile sig_atomic_t signalled; /* to end: no further request of a run */
	bool leaving; /* by its own decision: it does not come back */
	bool backlog; /* some offer has one */
	bool pausing; /* some offer is paused, and watched yet */
	bool unsure;  /* is a woken server expected to drain some queue? */
	bool no_longjmp;
	bool passes_on; /* begins no transactions, accepts no conversations
			   (deferred.h) */
	/* Who needs a tick each second: enum ow_seconds. */
	uint32_t seconds;
	struct ow_server *host; /* of a proxy server (proxy.h); else NULL */
	int ctl_fd; /* of ndrxd; -1: not connected */
	uint64_t tick_period_ns;
	uint64_t poll_period_ns;
	uint64_t poll_ns, ctl_retry_ns; /* not before that time */
	bool ctl_refused; /* the listener is not ours, and the log says so */
	struct ow_in_hand rq;
	struct ow_door door; /* the rules that it has read */
	uint64_t complained_ns; /* of a refused request, last */
	struct ow_ext ext;
	struct ow_init_queue
	    *init_queue; /* calls of tpsvrinit() that wait; init_queue.h */
	/* Last: of most, few are used, and the rest has no memory (pages.h). */
	struct ow_offer offers[OW_ADV_MAX];
};

enum ow_seconds {
	OW_SECONDS_PERIOD = 1,	  /* tpext_addperiodcb() */
	OW_SECONDS_CONTINUED = 2, /* continued requests */
};

/* Tags of the wait set: rows of offers, then these. */
enum {
	OW_TAG_CONTROL = OW_ADV_MAX,
	OW_TAG_USER, /* + number of a descriptor of the program */
};

/* The server that this thread runs, or the proxy server by which it answers a
 * continued request; else that of this process; NULL: it is not a server
 * (yet). */
struct ow_server *ow_server_self(void);
/* The same, never a proxy server. */
struct ow_server *ow_server_host(void);
/* The server object of this thread: the only one whose request it may end;
 * NULL: it has none. */
struct ow_server *ow_server_used(void);
/* This thread uses `s` until further notice; returns what it used before. */
struct ow_server *ow_server_use(struct ow_server *s);
/* The server of this process. Async-signal-safe. */
struct ow_server *ow_server_main(void);
/* This thread and process begin (NULL: end) to be server `s`. */
void ow_server_set_self(struct ow_server *s);
/* A function of the program, `what`, has returned: in a child that it has forked
 * this ends the child, which would go on as the server. */
void ow_server_end_child(const struct ow_server *s, const char *what);
/* This thread begins (NULL: ends) to be the further thread `s`. */
void ow_server_set_thread(struct ow_server *s);

#endif
