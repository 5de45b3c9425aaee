/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - a message from the inbox becomes a call of the handler
 */
#ifndef OW_UNSOL_DELIVER_H
#define OW_UNSOL_DELIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "libatmi/call/context.h"

typedef void ow_handler_fn(char *data, long len, long flags);

/* The handler of a context: one with a pointer of the program, or one without;
 * neither: messages are not wanted. */
struct ow_handler {
	ow_handler_fn *plain;
	void (*with)(char *data, long len, long flags, void *ptr);
	void *ptr;
};

struct ow_unsol {
	struct ow_listener base;
	struct ow_handler handler; /* under `taking` where a thread may run */
	/* The slot whose inbox is open: its generation (0: none is), and the
	 * number of the context, because another domain counts anew. */
	uint32_t gen, context;
	/* The same for who takes the messages: constant while a thread runs. */
	struct ow_domain *dom;
	struct ow_clt *clt;
	uint32_t slot;
	/* thread.h */
	pthread_t thread;
	bool has_thread;	/* of the thread that has the context */
	pthread_mutex_t taking; /* held while a message is taken */
	atomic_bool halted;
};

/* Hand a message over that was taken from the inbox. The thread has no context
 * (ow_ctx_hide()). True, or false: it was dropped. */
bool ow_unsol_deliver(struct ow_unsol *u, uint64_t ref);

#endif
