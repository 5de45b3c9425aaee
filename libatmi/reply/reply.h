/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - send the reply to a request
 *
 * Station 7 of a call: after tpreturn.c, before the caller's await.c. Used by
 * servers, and by any process that refuses a request in the place of a server
 * that is gone.
 */
#ifndef OW_REPLY_H
#define OW_REPLY_H

#include <stdbool.h>
#include <stdint.h>

struct ow_content;
struct ow_domain;
struct ow_msg;
struct ow_replier;

enum ow_reply_result {
	OW_REPLY_UNWANTED = 1, /* the client is gone, or wants no reply */
	OW_REPLY_FULL = 2,	 /* its mailbox stayed full */
	OW_REPLY_NOROOM = 3,	 /* no shared memory for the payload */
	OW_REPLY_POSTPONED = 4,	 /* kept in shared memory (record.h) */
};

struct ow_reply {
	const struct ow_msg *request;
	int tperr; /* 0, TPESVCFAIL, TPESVCERR, ... */
	long urcode;
	/* What it carries, or NULL. A payload that lies in a block moves with
	 * a reply that is sent or POSTPONED. */
	struct ow_content *content;
	const char *cause; /* of an error, in place of the content; or NULL */
	uint64_t deadline; /* to wait for room; OW_DEADLINE_NOW */
	bool hurried; /* postponed at once if there is no room */
	bool is_long; /* OW_MSG_LONG */
};

/* What a server needs to send replies. Of one thread. */
int ow_replier_open(struct ow_domain *d, struct ow_replier **ret);
/* Accepts NULL, returns NULL. */
struct ow_replier *ow_replier_close(struct ow_replier *rp);

/*
 * Send: 0, enum ow_reply_result, or -errno. `rp` may be NULL: then the reply
 * is never postponed. A client whose mailbox stays full (it has many calls
 * out and does not fetch replies) delays the server by 20 ms; then its reply
 * is postponed.
 */
int ow_reply_send(struct ow_domain *d, struct ow_replier *rp,
		  const struct ow_reply *reply);

/* Send an error reply without payload, without waiting and without a
 * replier. */
int ow_reply_error(struct ow_domain *d, const struct ow_msg *request,
		   int tperr);
/* The same with the error that a request is marked with (member/refuse.h): no
 * server had begun it. Without a mark, or if it was forwarded, TPESVCERR: one
 * had. */
int ow_reply_refuse(struct ow_domain *d, const struct ow_msg *request);

#endif
