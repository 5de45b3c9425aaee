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
 * The state of one library: make a new one (auto_destroy: it is freed with the
 * thread; auto_set: it is put on this thread), take it off this thread, put it
 * on (0 or -1), free it. (ours)
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
