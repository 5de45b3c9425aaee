/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - thread-local words on the path of every call
 *
 * Reached without a function call. They take from the small static area that
 * also serves libraries loaded late, so this is for single pointers only.
 */
#ifndef OW_TLS_H
#define OW_TLS_H

#define OW_TLS_FAST __thread __attribute__((tls_model("initial-exec")))

#endif
