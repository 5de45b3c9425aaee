/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharing.h - handles of contexts that threads share (strict-tuxedo; call/share.h)
 *
 * What a thread shares is the context of its calls: tperrno, tpurcode, Berror and
 * the loggers stay the thread's own.
 */
#ifndef OW_SHARING_H
#define OW_SHARING_H

#include <stdbool.h>
#include <xatmi_defs.h>

#include "libatmi/call/shared.h"
#include "libatmi/context/switch.h"

/* What the thread shares, for tpgetctxt(): true with its handle, or with
 * TPINVALIDCONTEXT; false: it shares none. */
bool ow_context_shared_handle(TPCONTEXT_T *ret);
/* The context of this thread, whose bundle is `b`, is shared from now on. No effect
 * on the one with which a server serves. */
void ow_context_open(struct ow_held *h, struct ow_bundle *b);
/* Put the context of this handle on the thread: 0; -ENOENT, it is not shared. */
int ow_context_share(struct ow_held *h, TPCONTEXT_T context);
/* The same for one call of the object API; ow_held_pop() brings back what the
 * thread had. -ENOMEM. */
int ow_context_visit(struct ow_held *h, TPCONTEXT_T context);
/* End the context that this thread shares: 0; -EBUSY, another one does. */
int ow_context_end_shared(void);
/* The same by its handle; -ENOENT: it is not shared. */
int ow_context_free_shared(struct ow_held *h, TPCONTEXT_T context);

#endif
