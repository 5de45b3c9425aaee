/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpinit.c - runs the example of tpinit(3)
 */
#include "tpinit.inc"
