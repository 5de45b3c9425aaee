/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.h - the lock of a shared context around a public function (share.h)
 *
 *	int tpgprio(void)
 *	{
 *		OW_SHARED;
 *
 * Each public function that looks at the context begins with it
 * (tests/arch/shared.py). A thread that shares no context pays for one load and
 * one branch, twice; tpcall() and its like, which are called most, pay nothing:
 * for a thread that shares a context ow_ctx_get() gives none, and says so by
 * ow_shared_is_due().
 */
#ifndef OW_SHARED_H
#define OW_SHARED_H

#include "libatmi/call/share.h"

/* false: it shares none after all. */
bool ow_shared_enter(void);
void ow_shared_leave(void);
/* The thread shares no context any more, and is in no function of one. */
void ow_shared_quit(void);

/* ow_ctx_get() has given no context because this function has not entered yet. */
static inline bool ow_shared_is_due(void)
{
	return ow_share_is_any() && !ow_share_is_inside();
}

static inline bool ow_shared_begin(void)
{
	if (__builtin_expect(ow_sharing == NULL, 1))
		return false;
	return ow_shared_enter();
}

static inline void ow_shared_endp(const bool *entered)
{
	if (__builtin_expect(*entered, 0))
		ow_shared_leave();
}

/* First declaration of a function. */
#define OW_SHARED                                               \
	__attribute__((cleanup(ow_shared_endp), unused)) bool ow_entered_ = \
	    ow_shared_begin()

#endif
