/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tperror.h - setting tperrno, from public functions only
 *
 *	return ow_tp_fail(TPENOENT, "service %s is not advertised", svc);
 *
 * Thread-local: error, tpurcode, and a detail text of up to 255 characters.
 * Private code returns -errno or a documented positive result instead.
 */
#ifndef OW_TPERROR_H
#define OW_TPERROR_H

#include <xatmi.h>

#define OW_TP_DETAIL 256 /* bytes of a detail text, with NUL */

#pragma GCC visibility push(default)

/* Set tperrno and its detail; keeps errno. Always -1. */
int ow_tp_fail(int tperr, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the error that -errno means, detail "what: strerror". Always -1. */
int ow_tp_fail_errno(int neg_errno, const char *what);

/* No error. Public functions that succeed leave tperrno alone or clear it. */
void ow_tp_clear(void);

/* The detail of the current error, "" if none; thread-local. */
const char *ow_tp_detail(void);

#pragma GCC visibility pop
#endif
