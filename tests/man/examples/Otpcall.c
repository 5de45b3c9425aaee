/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Otpcall.c - runs the example of Otpcall(3)
 */
#include "Otpcall.inc"
