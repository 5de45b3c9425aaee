/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make.h - make and free contexts, and say why that fails
 */
#ifndef OW_CONTEXT_MAKE_H
#define OW_CONTEXT_MAKE_H

/* Set tperrno for a negative errno of bundle.h: -ENOENT TPENOENT, -EBUSY
 * TPEPROTO, -ENOSPC TPELIMIT, -ENOMEM TPEOS. Always -1. */
int ow_context_fail(int r);

/* The handle of a new context with these parts, on this thread if `set`; NULL
 * with tperrno. */
void *ow_context_new(unsigned int parts, int auto_destroy, int set);

/* Take the context off this thread; it rests, for tpsetctxt(): 0, or -1 with
 * tperrno. */
int ow_context_put_aside(void);

/* End the context of a handle, which has at least one of `parts`, on this
 * thread or at rest: 0; -ENOENT; -EBUSY, another thread has it, or this one
 * serves with it. */
int ow_context_free(void *handle, unsigned int parts);

#endif
