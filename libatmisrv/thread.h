/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - the life of one further dispatch thread
 */
#ifndef OW_SERVER_THREAD_H
#define OW_SERVER_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmisrv/server.h"

struct ow_program;

enum ow_thread_state {
	OW_THREAD_STARTING = 0, /* until tpsvrthrinit() is over */
	OW_THREAD_READY,	/* its wait set is open */
	OW_THREAD_ENDED,	/* to be joined */
};

struct ow_thread {
	struct ow_thread *next;
	struct ow_pool *pool;
	pthread_t id;
	uint32_t number; /* from 2 */
	enum ow_thread_state state;
	struct ow_server s;
};

struct ow_pool {
	pthread_mutex_t lock;	/* of what follows, but for the atomics */
	pthread_cond_t changed; /* a state, open, closing */
	pthread_attr_t attr;
	struct ow_server *main;
	const struct ow_program *program;
	struct ow_thread *threads;
	struct ow_offer offers[OW_ADV_MAX]; /* those of new threads */
	uint32_t noffers;
	uint32_t min, max;
	uint64_t idle_ns;  /* a thread that was idle for so long ends */
	uint64_t retry_ns; /* no further thread before that time */
	bool open, closing;
	bool main_ready; /* tpsvrthrinit() has run in the main thread */
	_Atomic bool leaving; /* a thread has called tpexit() */
	_Atomic uint32_t n;   /* threads, the main one included */
	_Atomic uint32_t busy;
};

/* What a thread runs; `arg` is its struct ow_thread. */
void *ow_thread_run(void *arg);
/* Publish and withdraw services as the main thread has. */
void ow_thread_follow_offers(struct ow_server *s);

#endif
