/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bdel.c - runs the example of Bdel(3)
 */
#include "tests/man/examples/example.h"
#include "Bdel.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(clear(p, F_NAME, F_AMOUNT) == 0);
	EXPECT(!Bpres(p, F_NAME, 0) && !Bpres(p, F_AMOUNT, 0));
	EXPECT(Bpres(p, F_ACCOUNT, 0));
	return 0;
}
