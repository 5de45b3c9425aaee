/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - thread-local words on the path of every call
 *
 * Read without a function call. They lie in the small static area that
 * libraries loaded late also need, so use this for single words only.
 */
#ifndef OW_TLS_H
#define OW_TLS_H

#define OW_TLS_FAST __thread __attribute__((tls_model("initial-exec")))

#endif
