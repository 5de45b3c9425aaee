/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpencrypt.c - runs the example of tpencrypt(3)
 *
 * prints: * is card 4711
 */
#include "tpencrypt.inc"
