/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atmi.h - the whole ATMI interface of an application
 *
 * xatmi.h, and the thread-local state of the libraries as values, which
 * language bindings move between threads.
 */
#ifndef ATMI_H
#define ATMI_H

#include <xatmi.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * State of one library: make a new one (auto_destroy: freed with the thread;
 * auto_set: made current), take it off this thread, put it on (0, -1), free
 * it. (ours)
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

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
