/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.h - reply queues that a server keeps open
 *
 * A queue that any process holds open counts against the byte limit even
 * after its name is gone. So a client's reply queue is kept open only from
 * its second request on (clients that call once and leave cost nothing), and
 * the sweep closes the queues of clients that have left.
 */
#ifndef OW_REPLY_QUEUES_H
#define OW_REPLY_QUEUES_H

#include <stdbool.h>

struct ow_domain;
struct ow_kept_queue;
struct ow_msg;
struct ow_queue;

struct ow_reply_queues {
	struct ow_kept_queue *kept; /* uthash, by client slot */
	struct ow_kept_queue *last; /* used last; NULL: none, or dropped */
};

/* Is the client still there that sent the request (or waits for the reply)
 * with this header? */
bool ow_reply_client_lives(const struct ow_domain *d, const struct ow_msg *m);
/*
 * The reply queue of that client: 0 with *ret, OW_REPLY_UNWANTED or -errno.
 * *ret_own: the caller closes it. `qs` may be NULL.
 */
int ow_reply_queue_open(struct ow_domain *d, struct ow_reply_queues *qs,
			const struct ow_msg *m, struct ow_queue **ret,
			bool *ret_own);
/* Close the queues of clients that have left. */
void ow_reply_queues_sweep(struct ow_domain *d, struct ow_reply_queues *qs);
void ow_reply_queues_close(struct ow_reply_queues *qs);

#endif
