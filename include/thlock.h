/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thlock.h - macros around mutexes of the C library
 *
 * (ours; names of Enduro/X)
 */
#ifndef THLOCK_H
#define THLOCK_H

#include <pthread.h>

/* A mutex variable; one with its initial value (with `static` before it: of
 * this source file); one to be initialised by MUTEX_VAR_INIT(), such as a
 * member. */
#define MUTEX_VAR(name)	      pthread_mutex_t name
#define MUTEX_VAR_INIT(name)  pthread_mutex_init(&(name), NULL)
#define MUTEX_LOCKDECL(name)  pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER
#define MUTEX_LOCKDECLN(name) pthread_mutex_t name

/* Lock and unlock it; MUTEX_TRYLOCK_V() is 0 or an error number. */
#define MUTEX_LOCK_V(name)    ((void)pthread_mutex_lock(&(name)))
#define MUTEX_TRYLOCK_V(name) pthread_mutex_trylock(&(name))
#define MUTEX_UNLOCK_V(name)  ((void)pthread_mutex_unlock(&(name)))

/* The same for spin locks; one whose initial value is 0 may be locked, too. */
#define NDRX_SPIN_VAR(name)	 pthread_spinlock_t name
#define NDRX_SPIN_LOCKDECL(name) pthread_spinlock_t name
#define NDRX_SPIN_LOCKDECLN(name) pthread_spinlock_t name
#define NDRX_SPIN_INIT_V(name)	 \
	((void)pthread_spin_init(&(name), PTHREAD_PROCESS_PRIVATE))
#define NDRX_SPIN_DESTROY_V(name) ((void)pthread_spin_destroy(&(name)))
#define NDRX_SPIN_LOCK_V(name)	  ((void)pthread_spin_lock(&(name)))
#define NDRX_SPIN_TRYLOCK_V(name) pthread_spin_trylock(&(name))
#define NDRX_SPIN_UNLOCK_V(name)  ((void)pthread_spin_unlock(&(name)))

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
