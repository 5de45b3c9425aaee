/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.h - branches that a thread has left without an end
 *
 * A program moves a context to another thread inside a branch. No resource manager
 * ends a branch in another thread than its own, and the thread may be using the
 * connection right now. So the transaction is rolled back, and the thread itself
 * ends the branch, before it begins another one, which it could not, and before it
 * works with its connection outside of transactions (tpgetconn()).
 */
#ifndef OW_TRAN_LEFT_H
#define OW_TRAN_LEFT_H

#include <pthread.h>
#include <xa.h>

/* `thread` has left this branch. Without memory: until it ends. */
void ow_left_note(pthread_t thread, const XID *xid);
/* End what this thread has left; costs a load if there is nothing. */
void ow_left_end(void);

#endif
