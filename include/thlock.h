/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thlock.h - macros around mutexes of the C library
 *
 * (ours; names of Enduro/X)
 */
#ifndef THLOCK_H
#define THLOCK_H

#include <pthread.h>

/* A mutex variable; the same with its initial value; as a static one. */
#define MUTEX_VAR(name)	      pthread_mutex_t name
#define MUTEX_VAR_INIT(name)  pthread_mutex_init(&(name), NULL)
#define MUTEX_LOCKDECL(name)  static MUTEX_LOCKDECLN(name)
#define MUTEX_LOCKDECLN(name) pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER

/* Lock and unlock it; MUTEX_TRYLOCK_V() is 0 or an error number. */
#define MUTEX_LOCK_V(name)    ((void)pthread_mutex_lock(&(name)))
#define MUTEX_TRYLOCK_V(name) pthread_mutex_trylock(&(name))
#define MUTEX_UNLOCK_V(name)  ((void)pthread_mutex_unlock(&(name)))

/*
 * Between MUTEX_LOCK and MUTEX_UNLOCK, in one function, runs one thread at a
 * time: a mutex of this place alone. The two enclose a block.
 */
#define MUTEX_LOCK                                                           \
	{                                                                    \
		static pthread_mutex_t ow_place_ = PTHREAD_MUTEX_INITIALIZER; \
		MUTEX_LOCK_V(ow_place_)
#define MUTEX_UNLOCK               \
		MUTEX_UNLOCK_V(ow_place_); \
	}

#endif
