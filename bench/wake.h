/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.h - objects that the waiters of wake.c wait on
 *
 * Kernel objects (wake_kernel.c), or a queue of the project (wake_queue.c). An
 * event carries the time at which it was sent.
 */
#ifndef OW_BENCH_WAKE_H
#define OW_BENCH_WAKE_H

#include <stdint.h>

struct ow_wake_job {
	const char *way; /* to wake: herd, exclusive, balanced, or a name */
	long waiters, events, gap_us;
};

struct ow_wake_source {
	const char *name;
	/* In the parent, before the waiters are forked. */
	void *(*make)(const struct ow_wake_job *j);
	/* In a waiter. */
	void (*open_waiter)(void *source, long id);
	/* Until woken: 0 with the event, or 1: woken for nothing. */
	int (*wait)(void *source, uint64_t *ret_sent);
	/* In the parent. */
	void (*send)(void *source, uint64_t now);
	void (*close)(void *source);
};

extern const struct ow_wake_source ow_wake_pipe, ow_wake_mqueue,
	ow_wake_queue;

/* "wake: WHAT: errno in words", and the end. */
_Noreturn void ow_wake_die(const char *what);

#endif
