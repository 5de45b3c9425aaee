/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - one call of the object API: in the context that it names
 *
 * If the thread has that context, nothing is to be done. Else the thread's own
 * is put aside, the other one put on, and after the call the other way round.
 * A context that another thread has is refused: tperrno of this thread is
 * TPEPROTO, Berror BEINVAL, Nerror NEINVAL. TPNULLCONTEXT asks for a new
 * context: its handle is stored in *p_ctxt, for tpfreectxt().
 *
 * include/odebug.h declares these two functions, too, for its macros.
 */
#ifndef OW_OBJECT_H
#define OW_OBJECT_H

#include <xatmi.h>

#pragma GCC visibility push(default)

/* 0: the thread has the context; 1: it was put on; -1: refused. */
int ow_object_enter(TPCONTEXT_T *p_ctxt);
/* After a call; `entered` is what ow_object_enter() said. */
void ow_object_leave(int entered);
/* The flags of a function that may wait: TPSIGRSTRT is one of them, unless the
 * program wants it otherwise (tpsetsigrstrt()). After ow_object_enter(). */
long ow_object_flags(long flags);

#pragma GCC visibility pop
#endif
