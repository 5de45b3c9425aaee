/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usher.h - threads that stand in the line of a full queue
 *
 * Callers of a full queue stand in a line. The inbound thread cannot: it would
 * wait there for one service, and the others for it. It tries from time to
 * time, and finds no room while somebody stands in the line, who takes each
 * place that gets free. So a request that has tried for a while is handed to a
 * usher, a thread that sends it as any caller does, in the name of the inbound
 * thread, to which the reply goes. Of each service one request has an usher, the
 * first, so that they keep their order.
 *
 * Ushers are started when they are needed, and end when they were idle for a
 * second. If all are in use, a request goes on to try.
 */
#ifndef OW_BRIDGE_USHER_H
#define OW_BRIDGE_USHER_H

#include <pthread.h>

#include "libatmi/base/tperror.h"
#include "servers/bridge/in/pending.h"

#define OW_BR_USHERS 16u

/* One request to be sent. */
struct ow_br_errand {
	struct ow_br_errand *next;
	struct ow_br_item *item;
	int cd; /* of the inbound thread; 0: one-way */
	uint64_t seq;
	uint32_t slot, gen; /* of its context */
	int result; /* 0; -EAGAIN, not sent, no error; a tperrno */
	char why[OW_TP_DETAIL];
};

struct ow_br_ushers {
	struct ow_br_peers *peers;
	/* The errand is over, on the thread of the usher. */
	void (*over)(void *arg, struct ow_br_errand *e);
	void *arg;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct ow_br_errand *first, **last;
	uint32_t waiting, idle, threads;
	bool ended;
};

void ow_br_ushers_begin(struct ow_br_ushers *us);
/* False: all are in use. The item and its payload stay until over(). */
bool ow_br_usher_send(struct ow_br_ushers *us, struct ow_br_errand *e);
/* Wait until all have ended: what they had in hand is over. */
void ow_br_ushers_end(struct ow_br_ushers *us);

#endif
