/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics.h - short names for relaxed access to shared words
 *
 * Relaxed: for words that publish no other memory, figures, levels, hints. Plain
 * atomic_load() and atomic_store() are sequentially consistent. Each macro
 * takes a pointer to an _Atomic object and evaluates its arguments once.
 */
#ifndef OW_ATOMICS_H
#define OW_ATOMICS_H

#include <stdatomic.h>

#define ow_load_relaxed(p)     atomic_load_explicit((p), memory_order_relaxed)
#define ow_load_acquire(p)     atomic_load_explicit((p), memory_order_acquire)
#define ow_store_relaxed(p, v) \
	atomic_store_explicit((p), (v), memory_order_relaxed)

/* Complete an atomic read-modify-write before any later load. Where a process
 * stores a word and then looks at what another process stores (flag and
 * sleep), even a sequentially consistent store may pass a later load that is
 * not: this fence, or atomic_thread_fence(), stands between. On x86-64 the
 * read-modify-write is a fence by itself. */
#if defined(__x86_64__)
#define ow_fence_after_rmw() atomic_signal_fence(memory_order_seq_cst)
#else
#define ow_fence_after_rmw() atomic_thread_fence(memory_order_seq_cst)
#endif

/* Add to a counter that any thread or process may add to. */
#define ow_count_shared(p, n) \
	((void)atomic_fetch_add_explicit((p), (n), memory_order_relaxed))

/* Add to a counter that has one writer, the caller: a load, an addition, a
 * store, no locked instruction. */
#define ow_count_own(p, n)                                                 \
	__extension__({                                                    \
		__auto_type ow_counter_ = (p);                             \
		ow_store_relaxed(ow_counter_,                              \
				 ow_load_relaxed(ow_counter_) + (n));      \
	})

#endif
