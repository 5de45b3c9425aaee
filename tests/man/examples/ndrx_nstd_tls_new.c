/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_nstd_tls_new.c - runs the example of ndrx_nstd_tls_new(3)
 */
#include "ndrx_nstd_tls_new.inc"
