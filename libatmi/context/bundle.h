/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.h - contexts by their handles (TPCONTEXT_T)
 *
 * A bundle holds the state of a context while no thread has it. Its memory is
 * never given back, only used again, the last one that was freed first, so that
 * any number can be looked up as a handle: a handle has the place and the generation of its bundle, and one
 * that was freed, or never given, is not found. One word decides who has a
 * bundle; it changes by compare-and-swap, and there is no lock:
 *
 *	FREE     -> TAKEN   ow_bundle_new(): a new generation
 *	RESTING  -> TAKEN   ow_bundle_claim(): by one thread; the others fail
 *	TAKEN    -> RESTING ow_bundle_release()
 *	TAKEN    -> FREE    ow_bundle_free()
 *
 * All other members belong to the thread that has taken it, with one exception:
 * in strict-tuxedo threads may share the context of a bundle (call/share.h).
 * Such a bundle stays TAKEN, and its state is empty, until one of them ends the
 * context; `share` has a lock.
 */
#ifndef OW_BUNDLE_H
#define OW_BUNDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/call/share.h"
#include "libatmi/context/state.h"

#define OW_BUNDLE_MAX 65536u

struct ow_bundle {
	_Atomic uint64_t word; /* generation, then one of the above */
	_Atomic uint32_t below; /* the next free one, while this one is free */
	void *handle;
	unsigned int parts; /* bits: what it may hold */
	bool auto_destroy;  /* ends with the thread that has it */
	struct ow_state state; /* of its parts that no thread has */
	struct ow_share share;
};

/* A new bundle, taken by this thread: 0; -ENOMEM; -ENOSPC, there are
 * OW_BUNDLE_MAX. */
int ow_bundle_new(unsigned int parts, bool auto_destroy,
		  struct ow_bundle **ret);
/* Take a resting bundle: 0; -ENOENT, no such handle; -EBUSY, a thread has it. */
int ow_bundle_claim(void *handle, struct ow_bundle **ret);
/* The bundle if it rests, NULL else: another thread may take it any time. */
struct ow_bundle *ow_bundle_resting(void *handle);
void ow_bundle_release(struct ow_bundle *b);
/* For ow_share_join(); NULL: nobody can have had this handle. */
struct ow_share *ow_bundle_share(void *handle);
struct ow_bundle *ow_bundle_of_share(struct ow_share *s);
/* Its state has been ended. */
void ow_bundle_free(struct ow_bundle *b);
/* In a forked child: what the parent had is not ours. No handle is valid. */
void ow_bundle_forget_all(void);

#endif
