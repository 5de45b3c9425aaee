/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Badd.c - runs the example of Badd(3)
 */
#include "tests/man/examples/example.h"
#include "Badd.inc"

int main(void)
{
	UBFH *p = Balloc(10, 100);

	EXPECT(fill(p) == 0);
	EXPECT(Boccur(p, ACCOUNT) == 1);
	EXPECT(Boccur(p, AMOUNT) == 2);
	return 0;
}
