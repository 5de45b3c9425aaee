/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uncancelled.h - functions of the C library inside which no thread is cancelled
 *
 * pthread_cancel() takes effect where a thread calls open(), read(), fclose()
 * and their like. None of our functions may end there: it may hold locks,
 * blocks, descriptors (doc/design/transports.md). On the path of a call we use
 * system calls of our own, which are no cancellation points and cost less
 * than those of the C library; elsewhere OW_UNCANCELLED, which costs
 * two function calls.
 */
#ifndef OW_UNCANCELLED_H
#define OW_UNCANCELLED_H

#include <pthread.h>

static inline int ow_uncancelled_begin(void)
{
	int was = PTHREAD_CANCEL_ENABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	return was;
}

static inline void ow_uncancelled_endp(const int *was)
{
	pthread_setcancelstate(*was, NULL);
}

/* First declaration of a block: until its end the thread is not cancelled. Not
 * in a function out of which tpreturn() jumps. */
#define OW_UNCANCELLED                                           \
	__attribute__((cleanup(ow_uncancelled_endp), unused)) int \
	    ow_cancel_state_ = ow_uncancelled_begin()

#endif
