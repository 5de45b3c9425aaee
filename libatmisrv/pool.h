/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - the dispatch threads of a server
 *
 * The main thread is number 1. Each further thread is one more server to
 * everybody else: it has a slot, rows, an in-flight record and a wait set, and
 * takes requests from the service queues by itself, so that no request is
 * handed from thread to thread, and what survives SIGKILL for one thread does
 * for all. The main thread alone talks to ndrxd, runs callbacks of descriptors and
 * timers, and stops the process.
 *
 * The pool has `min` threads from the start. When all are busy, the one that
 * became busy last starts another, up to `max`; a thread that has been idle
 * for long ends, down to `min`.
 */
#ifndef OW_POOL_H
#define OW_POOL_H

struct ow_program;
struct ow_server;

/*
 * Before services are published: start the threads that are configured, and
 * wait until their tpsvrthrinit() is over. 0, also without threads (s->pool is
 * NULL); -1: one failed, and the reason is logged.
 */
int ow_pool_start(struct ow_server *s, const struct ow_program *p);
/* The main thread has published its services: so do the others. */
void ow_pool_open(struct ow_server *s);
/* End all further threads, each after the request in hand. */
void ow_pool_stop(struct ow_server *s);

#endif
