/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetcallinfo.c - runs the example of tpsetcallinfo(3)
 *
 * prints: answered for maria
 */
#include "tpsetcallinfo.inc"
