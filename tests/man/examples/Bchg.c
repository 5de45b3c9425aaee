/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bchg.c - runs the example of Bchg(3)
 */
#include "tests/man/examples/example.h"
#include "Bchg.inc"

int main(void)
{
	UBFH *p = record();
	long v = 0;

	EXPECT(set_amount(p, F_AMOUNT, 7) == 0);
	EXPECT(CBget(p, F_AMOUNT, 0, (char *)&v, NULL, BFLD_LONG) == 0);
	EXPECT(v == 7);
	return 0;
}
