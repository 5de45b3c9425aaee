/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpservice.c - runs the example of tpservice(3)
 *
 * serves: TPSERVICE x -> x
 */
#include "tests/man/examples/example.h"
#include "tpservice.inc"

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("TPSERVICE", HELLO) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
