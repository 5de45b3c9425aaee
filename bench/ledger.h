/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - a file with one entry for each request of an audit
 *
 * Clients and servers of one domain map the file named by OW_LEDGER. A client
 * opens an entry for each request that it sends, and notes what it was told.
 * A server notes that it executes the request. What is in the file survives a
 * SIGKILL of either, so `ledger` (ledger.c) can compare both sides afterwards.
 */
#ifndef OW_BENCH_LEDGER_H
#define OW_BENCH_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OW_LEDGER_MAGIC	  UINT64_C(0x3152474c444c574f) /* "OWLDLGR1" */
#define OW_LEDGER_CLIENTS 256u /* client processes, by number */
#define OW_LEDGER_PAUSES  4096u

/* What a client was told of a request. 0: nothing, it was killed or hangs. */
enum ow_told {
	OW_TOLD_RIGHT = 1, /* the answer to this request */
	OW_TOLD_WRONG,	   /* the answer to another one, or damaged data */
	OW_TOLD_ONEWAY,	   /* sent with TPNOREPLY */
	OW_TOLD_CANCELLED, /* cancelled by the client */
	OW_TOLD_TIMEOUT,   /* TPETIME after it was sent */
	OW_TOLD_REFUSED,   /* TPESVCERR */
	OW_TOLD_ABSENT,	   /* TPENOENT, TPELIMIT: it was never sent */
	OW_TOLD_UNSENT,	   /* TPETIME while the queue was full */
	OW_TOLD_ERROR,	   /* another error: none is expected */
};

enum ow_ledger_flag {
	OW_LEDGER_DISTURBED = 1, /* its client was stopped meanwhile */
};

struct ow_ledger_entry {
	_Atomic uint8_t executed; /* times, at most 255 */
	_Atomic uint8_t told;	  /* enum ow_told */
	_Atomic uint8_t flags;	  /* enum ow_ledger_flag */
	uint8_t error;		  /* tperrno */
	uint32_t begin_ms;	  /* all times: since the ledger was made */
	uint32_t due_ms;	  /* its deadline; 0: none */
	uint32_t until_ms; /* it should be told by then; 0: at any time */
	uint32_t told_ms;
	uint32_t waited_ms; /* if told late: so long its thread, ready to run,
			       waited for a CPU meanwhile */
	_Atomic uint32_t executed_ms;
	_Atomic uint32_t answered_ms; /* tpreturn() had ended by then */
};

/* The whole machine stood still. */
struct ow_ledger_pause {
	uint32_t end_ms;
	uint32_t ms;
};

struct ow_ledger_head {
	uint64_t magic;
	uint64_t entries; /* room */
	uint64_t start_ns;
	_Atomic uint64_t next; /* entry; 0 is not used */
	_Atomic uint64_t damaged; /* requests that reached a server damaged */
	/* When the killer continued this client the last time, ms; UINT32_MAX:
	 * it is stopped. */
	_Atomic uint32_t continued_ms[OW_LEDGER_CLIENTS];
	_Atomic uint64_t joins; /* contexts that have called and left */
	uint64_t pauses; /* more than OW_LEDGER_PAUSES are counted only */
	struct ow_ledger_pause pause[OW_LEDGER_PAUSES];
};

struct ow_ledger {
	struct ow_ledger_head *head;
	struct ow_ledger_entry *entry;
};

/* The payload of a request, and of a reply that returns it. */
struct ow_ledger_ticket {
	uint64_t number; /* of the entry */
	uint64_t check;	 /* ow_ledger_check(number, len) */
	uint32_t len;	 /* of the payload, with this */
	uint8_t reply;	 /* enum ow_ledger_reply */
	uint8_t pad[3];
};

enum ow_ledger_reply {
	OW_LEDGER_SAME, /* the buffer of the request */
	OW_LEDGER_COPY, /* another buffer of the same length */
	OW_LEDGER_NONE, /* no data */
	OW_LEDGER_REPLIES,
};

/* Map the file at `path`; `entries`: make it anew. 0 or -errno. */
int ow_ledger_open(struct ow_ledger *l, const char *path, uint64_t entries);
uint32_t ow_ledger_ms(const struct ow_ledger *l);
uint64_t ow_ledger_check(uint64_t number, uint32_t len);
/* The entry of a ticket, whose buffer has `len` bytes; NULL: it is damaged. */
struct ow_ledger_entry *ow_ledger_find(const struct ow_ledger *l,
				       const void *buffer, uint64_t len);
/* Write to standard error what a damaged payload holds. */
void ow_ledger_explain(const void *buffer, long len);
/* Fill a payload of `len` bytes (at least a ticket) for a new entry; NULL: no
 * entry is left. due_ms 0: the call has no deadline. */
struct ow_ledger_entry *ow_ledger_begin(struct ow_ledger *l, void *buffer,
					uint32_t len, uint32_t timeout_ms,
					enum ow_ledger_reply reply);

#endif
