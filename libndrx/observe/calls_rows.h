/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_rows.h - what is known of a request in flight
 */
#ifndef OW_CALLS_ROWS_H
#define OW_CALLS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/tables.h"

enum ow_calls_state {
	OW_CALLS_WAITS,	    /* in the queue of its service */
	OW_CALLS_SERVED,    /* a server has it in hand */
	OW_CALLS_CONTINUED, /* its service has ended, a thread answers it */
	OW_CALLS_ELSEWHERE, /* its caller waits; it is with another node, or
			       on its way */
	OW_CALLS_UNSEEN,    /* `n` requests in a queue nobody can look into */
};

struct ow_calls_caller {
	uint32_t slot, gen; /* of its context; gen 0: a one-way call without */
	uint32_t srvid;	    /* of a server that calls; 0: a client */
	int32_t pid;	    /* 0: unknown */
	bool gone;	    /* the context has left */
	long node;	    /* 0: unknown */
	char program[32], user[32];
};

struct ow_calls_row {
	char service[OW_SVC_NAME];
	char queue[OW_SVC_NAME]; /* in whose queue it waits, if another */
	enum ow_calls_state state;
	uint32_t position; /* in that queue, from 1; 0: unknown */
	uint32_t n;	   /* UNSEEN: how many; else 1 */
	/* who has it */
	uint32_t slot;	 /* of the server or its thread; 0: nobody, or one of
			    several threads */
	uint32_t srvid;	 /* the server */
	uint32_t thread; /* of a server with several; 0: unknown or the only
			    one */
	int32_t server_pid;
	char server[64];
	uint64_t begun_ns; /* when that slot began a request; 0: unknown */
	struct ow_calls_caller caller;
	/* the request; `known` false: only caller, service and times are */
	bool known;
	bool one_way, conversation, remote, forwarded;
	uint8_t prio, type, sub_len;
	int32_t cd;
	uint64_t seq, len, tran;
	uint64_t sent_ns, deadline_ns; /* deadline 0: none */
	uint8_t trace_id[16], span_id[8];
	/* where its contents are */
	uint64_t ref, word; /* a block and its state; 0: not in one */
	uint64_t payload;   /* a block with the payload alone; 0: behind the
			       header */
	uint32_t svc;	    /* its index */
};

#endif
