/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_queue.h - one-way calls of tpsvrinit() to services of this server itself
 *
 * Nobody offers such a service yet: what tpsvrinit() advertises is published
 * when it is over. A program starts work of its own so, which then runs in a
 * thread, perhaps for ever. The calls wait in the process, in their order, and
 * are sent when the services are published.
 */
#ifndef OW_INIT_QUEUE_H
#define OW_INIT_QUEUE_H

struct ow_server;

/* tpsvrinit() begins, and has ended. */
void ow_init_queue_begin(struct ow_server *s);
void ow_init_queue_end(struct ow_server *s);
/* The services are published: send what waits, as far as the queues have room
 * now. */
void ow_init_queue_send(struct ow_server *s);
/* The same before the main thread serves: with further threads, they take all
 * of it, so that the main thread stays free to answer ndrxd. */
void ow_init_queue_start(struct ow_server *s);
/* Forget what is left. */
void ow_init_queue_drop(struct ow_server *s);

#endif
