/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single.h - the one context of a client's threads (strict-tuxedo; call/share.h)
 *
 * Without TPMULTICONTEXTS a client of Tuxedo has one context, whichever of its
 * threads calls. It is opened by the first function of a thread that has none, before
 * there is a context in it. The end of it (tpterm()) is the end for all; who calls
 * then begins the next one.
 *
 * Not so in servers, whose threads serve with contexts of their own; not while the
 * process has a context made by tpinit() with TPMULTICONTEXTS; and not in a process
 * that has made one by tpnewctxt() or the object API, as language bindings do.
 */
#ifndef OW_SINGLE_H
#define OW_SINGLE_H

#include <stdbool.h>

/* The process makes contexts itself: no thread shares one without asking from now
 * on, but those that do. */
void ow_single_forgo(void);
/* What the thread shares as the context of its process becomes its own: 0; -EBUSY,
 * another thread ends it. */
int ow_single_own(void);
/* Put it on the thread (TPSINGLECONTEXT): 0; -ENOENT, there is none. */
int ow_single_put_on(void);

#endif
