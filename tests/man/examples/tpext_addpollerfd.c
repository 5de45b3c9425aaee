/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpext_addpollerfd.c - runs the example of tpext_addpollerfd(3)
 *
 * server:
 */
#include "tpext_addpollerfd.inc"
