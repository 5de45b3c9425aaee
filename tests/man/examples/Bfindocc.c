/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bfindocc.c - runs the example of Bfindocc(3)
 */
#include "tests/man/examples/example.h"
#include "Bfindocc.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(Badd(p, F_ACCOUNT, "17", 0) == 0);
	EXPECT(number_ending_in_7(p, F_ACCOUNT) == 1);
	return 0;
}
