/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atmi.h - the whole ATMI interface of an application
 *
 * xatmi.h, and functions by which language bindings move the thread-local
 * state of the libraries between threads.
 */
#ifndef ATMI_H
#define ATMI_H

#include <xatmi.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Parts of a context: nstd: Nerror and loggers; ubf: Berror and Bnext(); atmi:
 * calls, tperrno. Make a new one (auto_destroy: it ends with the thread that
 * has it then; auto_set: it is put on this thread), take it off this thread,
 * put it on (NULL: none; 0 or -1), end it. Handles are valid as those of
 * tpgetctxt() are. priv_flags: CTXT_PRIV_NSTD and _UBF take these parts along.
 * tls_in and flags are NULL and 0. TPEINVAL (arguments) TPENOENT (no such
 * handle) TPEPROTO (another thread has it) TPELIMIT TPEOS. (ours)
 */
extern void *ndrx_nstd_tls_new(int auto_destroy, int auto_set);
extern void *ndrx_nstd_tls_get(void);
extern int ndrx_nstd_tls_set(void *data);
extern void ndrx_nstd_tls_free(void *data);

extern void *ndrx_ubf_tls_new(int auto_destroy, int auto_set);
extern void *ndrx_ubf_tls_get(void);
extern int ndrx_ubf_tls_set(void *data);
extern void ndrx_ubf_tls_free(void *data);

extern void *ndrx_atmi_tls_new(void *tls_in, int auto_destroy, int auto_set);
extern void *ndrx_atmi_tls_get(long priv_flags);
extern int ndrx_atmi_tls_set(void *data, int flags, long priv_flags);
extern void ndrx_atmi_tls_free(void *data);

/* mktime() by the name that Tuxedo gives it. */
#define gp_mktime mktime

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
