/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsrvgetctxdata.c - runs the example of tpsrvgetctxdata(3)
 *
 * serves: SLOW x -> x
 */
#include "tests/man/examples/example.h"
#include "tpsrvgetctxdata.inc"
