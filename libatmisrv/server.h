/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the one object of a server process
 *
 * A server is single-threaded: it waits for its service queues and ndrxd's
 * control socket, and serves one request at a time.
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

struct ow_conversion;
struct ow_options;

/* A service that this server offers. Its index is the row of its ow_adv. */
struct ow_offer {
	char name[32]; /* "": the row is free */
	char func[32];
	void (*p_func)(TPSVCINFO *);
	const struct ow_conversion *conversion; /* -x; NULL: none */
	bool forced;		/* the mode ends in F */
	bool wanted;		/* to be published */
	struct ow_queue *queue; /* open while published */
	uint32_t svc;		/* index in the table */
	uint32_t backlog;	/* messages found by a poll, yet to be taken */
	uint8_t prio_low;	/* lowest priority received; 0: none yet */
};

/* The request in hand. */
struct ow_in_hand {
	jmp_buf out;		  /* tpreturn() and tpforward() jump here */
	bool active, returned;	  /* in its service; its outcome is settled */
	bool failed;		  /* counts as a failure in the statistics */
	bool counted, counted_failed; /* in the statistics already */
	struct ow_adv *adv;	  /* of the service */
	struct ow_envelope envelope; /* over the in-flight record */
	const struct ow_msg *msg; /* its header */
	uint64_t since_ns;
	uint64_t took_ns; /* 0: not yet done, or nothing was done */
};

/* Descriptors and callbacks that the program has added (tpext.c). */
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
	bool published; /* tpsvrinit() is over: publish at once */
	bool stop;
	bool backlog; /* some offer has one */
	bool unsure;  /* is a woken server expected to drain some queue? */
	bool no_longjmp;
	int ctl_fd; /* of ndrxd; -1: not connected */
	uint64_t tick_period_ns;
	uint64_t poll_period_ns;
	uint64_t poll_ns, ctl_retry_ns; /* not before that time */
	bool ctl_refused; /* the listener is not ours, and the log says so */
	struct ow_in_hand rq;
	struct ow_ext ext;
};

/* Tags of the wait set: rows of offers, then these. */
enum {
	OW_TAG_CONTROL = OW_ADV_MAX,
	OW_TAG_USER, /* + number of a descriptor of the program */
};

/* The server that this thread runs, else that of this process; NULL: it is not
 * a server (yet). */
struct ow_server *ow_server_self(void);
/* The server of this process. Async-signal-safe. */
struct ow_server *ow_server_main(void);
/* This thread and process begin (NULL: end) to be server `s`. */
void ow_server_set_self(struct ow_server *s);

#endif
