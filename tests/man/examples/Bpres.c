/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bpres.c - runs the example of Bpres(3)
 */
#include "tests/man/examples/example.h"
#include "Bpres.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(!complete(p, F_NAME, F_ACCOUNT));
	EXPECT(Badd(p, F_ACCOUNT, "4712", 0) == 0);
	EXPECT(complete(p, F_NAME, F_ACCOUNT));
	return 0;
}
