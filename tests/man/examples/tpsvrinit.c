/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsvrinit.c - runs the example of tpsvrinit(3)
 *
 * options: -s NEWORDER -w 5
 * serves: NEWORDER x -> x
 */
#include "tests/man/examples/example.h"
#include "tpsvrinit.inc"
