/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpconvert.c - runs the example of tpconvert(3)
 *
 * serves: WHO x -> x
 */
#include "tests/man/examples/example.h"
#include "tpconvert.inc"

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("WHO", WHO) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
