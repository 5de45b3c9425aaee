/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the one object of a server process
 *
 * A server is single-threaded: it waits on its service queues and on ndrxd's
 * control socket, and runs one request at a time.
 */
#ifndef OW_SERVER_H
#define OW_SERVER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/domain/tables.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/transport.h"

struct ow_options;

/* A service this server offers. Index = row of its ow_adv. */
struct ow_offer {
	char name[32];
	char func[32];
	void (*p_func)(TPSVCINFO *);
	bool wanted;		/* advertised by the program */
	struct ow_queue *queue; /* open while published */
	uint32_t svc;		/* index in the table */
	uint32_t backlog;	/* messages that a sweep found */
	uint8_t prio_low;	/* lowest priority received; 0: none yet */
};

/* The request in hand. */
struct ow_in_hand {
	jmp_buf out;		  /* tpreturn() and tpforward() leave here */
	bool active, returned;	  /* in a service; its outcome is settled */
	bool failed;		  /* counts as a failure in the statistics */
	bool counted, counted_failed; /* what the statistics have of it */
	struct ow_adv *adv;	  /* of the service */
	struct ow_envelope envelope; /* over the in-flight record */
	const struct ow_msg *msg; /* its header */
	uint64_t since_ns;
	uint64_t took_ns; /* 0: not yet done, or nothing was done */
};

/* What the program has added to the loop (tpext.c). */
struct ow_ext {
	struct ow_poller *pollers;
	uint32_t npollers;
	int (*b4poll)(void);
	int (*period)(void);
	uint64_t period_ns, due_ns;
};

struct ow_server {
	struct ow_options *opt;
	struct ow_ctx *ctx;
	struct ow_domain *dom;
	struct ow_srv *slot;
	struct ow_adv *adv; /* rows of this server */
	void *own_record; /* malloc'ed memory to receive into, or NULL: the
			     transport has an in-flight record */
	struct ow_waitset *waitset;
	struct ow_replier *replier;
	struct ow_offer offers[OW_ADV_MAX];
	uint32_t noffers;
	bool published; /* tpsvrinit() is over: advertise at once */
	bool stop;
	bool backlog; /* some offer has one */
	bool doubt;   /* is a woken server expected to drain some queue? */
	bool no_longjmp;
	int ctl_fd; /* ndrxd, -1: not connected */
	uint64_t tick_ns; /* period */
	uint64_t period_ns; /* of looks into the queues */
	uint64_t sweep_ns, ctl_retry_ns; /* not before */
	struct ow_in_hand rq;
	struct ow_ext ext;
};

/* Callbacks and tables of a program, from main() or _tmstartserver(). */
struct ow_program {
	int (*init)(int, char **);
	void (*done)(void);
	const struct tmdsptchtbl_t *builtin; /* ends with a NULL row, or NULL */
	bool no_longjmp;
};

/* Tags of the wait set: rows of offers, then these. */
enum {
	OW_TAG_CONTROL = OW_ADV_MAX,
	OW_TAG_USER, /* + number of a descriptor of the program's */
};

/* The server of this process, NULL when it is not one (yet). */
struct ow_server *ow_server_self(void);
/* Everything from options to the end; returns the exit status. */
int ow_server_run(int argc, char **argv, const struct ow_program *p);

/* advertise.c */
int ow_offer_add(struct ow_server *s, const char *svc, const char *func,
		 void (*p_func)(TPSVCINFO *));
/* Publish what is wanted and not yet published: 0, or -1 with tperrno. */
int ow_offer_publish_all(struct ow_server *s);
int ow_offer_publish(struct ow_server *s, uint32_t row);
void ow_offer_withdraw(struct ow_server *s, uint32_t row);
struct ow_offer *ow_offer_find(struct ow_server *s, const char *svc);

/* control.c */
void ow_control_connect(struct ow_server *s);
void ow_control_ready(struct ow_server *s);
void ow_control_leaving(struct ow_server *s);
/* Packets have come, or the other side has gone. */
void ow_control_input(struct ow_server *s);
/* Try again to reach ndrxd; called that often while it is away. */
void ow_control_tick(struct ow_server *s);
#define OW_CONTROL_RETRY_NS UINT64_C(250000000)

/* output.c: options -e and -r; their files, when they were renamed. */
void ow_output_redirect(const struct ow_options *o);
void ow_output_follow(const struct ow_options *o);

/* loop.c */
int ow_loop_run(struct ow_server *s);
void ow_loop_sweep(struct ow_server *s);

/* tpext.c: descriptor number `n` is ready; before each wait; each tick. */
void ow_ext_ready(struct ow_server *s, uint32_t n, uint32_t events);
void ow_ext_before_wait(struct ow_server *s);
void ow_ext_tick(struct ow_server *s, uint64_t now);

/* dispatch.c: serve the request that was received into s->rq.envelope. */
void ow_dispatch(struct ow_server *s, uint32_t row);
/* Send an error reply to the request in hand instead of a result. */
void ow_dispatch_fail(struct ow_server *s, int tperr);
/* The service is over: count it. Called before the reply or the forwarded
 * request is sent, so that its receiver finds the call in the statistics. */
void ow_dispatch_count(struct ow_server *s);
/* Settle the request in hand: counted, no longer in flight. */
_Noreturn void ow_dispatch_leave(struct ow_server *s);

#endif
