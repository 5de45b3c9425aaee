/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tperror.h - set tperrno, from public functions only
 *
 *	return ow_tp_fail(TPENOENT, "service %s is not advertised", svc);
 *
 * Error, tpurcode and a detail text of up to 255 characters are thread-local.
 * Private code returns -errno or a documented positive result instead.
 */
#ifndef OW_TPERROR_H
#define OW_TPERROR_H

#include <xatmi.h>

#define OW_TP_DETAIL 256 /* bytes of a detail text, with NUL */

/* tperrno, tpurcode and the detail, while they are of no thread. */
struct ow_tp_state {
	int err;
	int detailed; /* `detail` is about it */
	long urcode;
	char detail[OW_TP_DETAIL];
};

/* Set tperrno and its detail; keeps errno. Always -1. */
int ow_tp_fail(int tperr, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set TPEOS with the detail "what: strerror"; of -EPERM TPEPERM, of -ECANCELED
 * (call/share.h) TPESYSTEM. Always -1. */
int ow_tp_fail_errno(int neg_errno, const char *what);

/* The request of the current error was refused before a server had begun it:
 * tpurcode says so, LONG_MIN, until the next error. */
void ow_tp_unbegun(void);

/* Clear tperrno. A public function that succeeds clears it or leaves it. */
void ow_tp_clear(void);

/* The detail of the current error; "": none. Thread-local. */
const char *ow_tp_detail(void);

/* Move the thread's state to *s; it has no error then. */
void ow_tp_state_take(struct ow_tp_state *s);
/* Make *s the state of the thread. */
void ow_tp_state_put(const struct ow_tp_state *s);

#endif
