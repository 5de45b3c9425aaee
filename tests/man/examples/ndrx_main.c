/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_main.c - runs the example of ndrx_main(3)
 *
 * server:
 */
#include "ndrx_main.inc"
