/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.h - what a signal handler that has run does to the waits of a context
 *
 * XATMI: it ends them (TPGOTSIG), unless the call has TPSIGRSTRT. A context may
 * have that flag for all its calls; the object API gives it to each call
 * (libatmi/context/object.h).
 */
#ifndef OW_SIGNALS_H
#define OW_SIGNALS_H

struct ow_ctx;

/* `how` is one of TPSIG_*; the context is new, or the thread's. */
void ow_signals_set(struct ow_ctx *c, int how);

#endif
