/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bgetr.c - runs the example of Bgetr(3)
 */
#include "tests/man/examples/example.h"
#include "Bgetr.inc"

int main(void)
{
	UBFH *p = record();
	UBFH *sub = record();

	EXPECT(Bchg(p, F_SUB, 0, (char *)sub, 0) == 0);
	EXPECT(inner(p, F_SUB, F_AMOUNT) == 12);
	EXPECT(inner(p, F_SUB, F_COUNT) == -1);
	return 0;
}
