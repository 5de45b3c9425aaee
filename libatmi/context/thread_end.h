/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_end.h - run a function when this thread ends, before its pthread keys
 *
 * The list of destructors of thread-local objects, which the C library keeps
 * for C++. Destructors of pthread keys run later, in an order that depends on
 * the program.
 */
#ifndef OW_THREAD_END_H
#define OW_THREAD_END_H

extern void *__dso_handle __attribute__((visibility("hidden")));
int __cxa_thread_atexit_impl(void (*ends)(void *), void *arg, void *dso);

/* 0, or not: no memory. */
static inline int ow_at_thread_end(void (*ends)(void *), void *arg)
{
	return __cxa_thread_atexit_impl(ends, arg, &__dso_handle);
}

#endif
