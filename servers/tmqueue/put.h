/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.h - put a message of tmqueue itself into a queue
 */
#ifndef OW_TMQUEUE_PUT_H
#define OW_TMQUEUE_PUT_H

#include "servers/tmqueue/message.h"
#include "servers/tmqueue/space.h"

/* Put a message into queue `name`. False by *ret_put: the queue is not
 * defined. */
int execute_put(struct space *sp, const char *name, struct message *m,
		bool *ret_put);

#endif
