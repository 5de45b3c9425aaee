/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpgetctxt.c - runs the example of tpgetctxt(3)
 */
#include "tpgetctxt.inc"
