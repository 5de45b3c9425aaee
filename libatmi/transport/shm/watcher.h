/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watcher.h - a thread that waits for the descriptors of a sleeping server
 *
 * A server on shm sleeps on its wake word, so it cannot wait in epoll. The
 * watcher does: when a descriptor is ready it alerts the server, then waits
 * until the server has checked its descriptors.
 */
#ifndef OW_SHM_WATCHER_H
#define OW_SHM_WATCHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_srv;

struct shm_watcher {
	struct ow_srv *srv; /* slot of the server to alert */
	pthread_t thread;
	bool runs;
	int ep; /* holds the epoll descriptor of the wait set, and */
	int quit_fd; /* an eventfd that ends the thread */
	_Atomic bool quit;
	_Atomic uint32_t checks; /* futex: counts the server's checks */
};

static inline void ow_watcher_init(struct shm_watcher *a, struct ow_srv *srv)
{
	a->srv = srv;
	a->ep = a->quit_fd = -1;
}

/* Start the thread for the descriptors in epoll set `ep`, unless it runs: 0 or
 * -errno; keeps nothing on failure. */
int ow_watcher_start(struct shm_watcher *a, int ep);
/* The server has checked its descriptors: the watcher may wait again. */
void ow_watcher_resume(struct shm_watcher *a);
/* End the thread, if it runs. */
void ow_watcher_stop(struct shm_watcher *a);

#endif
