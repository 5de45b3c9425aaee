/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogsetreqfile.c - runs the example of tplogsetreqfile(3)
 *
 * serves: PAYLOG x -> x
 */
#include "tests/man/examples/example.h"
#include "tplogsetreqfile.inc"

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("PAYLOG", PAY) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
