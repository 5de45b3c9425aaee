/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred.h - requests that a server of the runtime sends on to other nodes
 *
 * The bridge (servers/bridge/) takes a request as it travels, hands it on
 * (continued.h), and answers it later, on any thread, with what came from
 * another machine. Nothing is unpacked and packed again on the way back.
 */
#ifndef OW_DEFERRED_H
#define OW_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

struct ow_content;
struct ow_msg;

enum ow_deferred_result {
	OW_DEFERRED_OVER = 1, /* it was answered, or its time is over */
};

/* Of a remote answer. */
struct ow_deferred_answer {
	int tperr; /* 0, TPESVCFAIL, ... */
	long urcode;
	struct ow_content *content; /* NULL: none. Copied */
	const char *cause; /* of an error, or NULL */
	bool unwanted; /* the caller knows already: nothing is sent */
	bool hurried; /* a caller without room is not waited for */
};

/* In tpsvrinit(): the services of this server are remote, and so are the
 * transactions that are begun for them, and whoever accepts conversations. */
void ow_deferred_all(void);
/* In a service function: the header of the request in hand; NULL: none, or it
 * is a conversation. */
const struct ow_msg *ow_deferred_request(void);
/* The same of a request that begins a conversation, which nobody has accepted
 * yet. */
const struct ow_msg *ow_deferred_connect(void);
/* In a service function: do more requests wait in the queue of the one in
 * hand? Another server may take them. */
bool ow_deferred_more(void);
/* In a service function: has the queue of the request in hand services that have
 * nothing to do with each other? Then it is not to be paused for one of them. */
bool ow_deferred_is_shared(void);
/* In a service function: take no more from the queue of the request in hand. Its
 * name; NULL: it is withdrawn. */
const char *ow_deferred_pause(void);
/* On the main thread, in no service: go on to take from it, if it is there. 0;
 * -errno: it is paused yet. */
int ow_deferred_resume(const char *queue);
/* In a service function, which then returns: hand the request on. 0 with its
 * number; -ENOSPC, -ENOMEM, -EINVAL (no request). */
int ow_deferred_begin(uint64_t *ret_number);
/* On any thread, which has a context of its own from then on: answer it. 0,
 * OVER, -errno. */
int ow_deferred_answer(uint64_t number,
		       const struct ow_deferred_answer *answer);

#endif
