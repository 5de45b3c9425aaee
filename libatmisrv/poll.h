/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll.h - look into the queues of a server without having been woken
 */
#ifndef OW_POLL_H
#define OW_POLL_H

#include <stdint.h>

struct ow_server;

/* Poll all queues: sets `backlog` of the offers and of the server, and
 * `unsure`. */
void ow_poll_queues(struct ow_server *s);
/* Time between two polls, in ns. */
uint64_t ow_poll_period(const struct ow_server *s);

#endif
