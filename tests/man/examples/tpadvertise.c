/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpadvertise.c - runs the example of tpadvertise(3)
 *
 * serves: HELLO x -> x
 */
#include "tests/man/examples/example.h"
#include "tpadvertise.inc"
