/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpreturn.c - runs the example of tpreturn(3)
 *
 * serves: TPRETURN x -> x
 */
#include "tests/man/examples/example.h"
#include "tpreturn.inc"

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("TPRETURN", HELLO) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
