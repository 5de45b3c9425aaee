/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsgislocked.c - runs the example of tpsgislocked(3)
 *
 * serves: COMMIT x -> x
 */
#include "tests/man/examples/example.h"
#include "tpsgislocked.inc"

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("COMMIT", COMMIT) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
