/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CBget.c - runs the example of CBget(3)
 */
#include "tests/man/examples/example.h"
#include "CBget.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(amount(p, F_ACCOUNT) == 4711);
	EXPECT(amount(p, F_AMOUNT) == 12);
	EXPECT(amount(p, F_COUNT) == 0);
	return 0;
}
