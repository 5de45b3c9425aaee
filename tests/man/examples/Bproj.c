/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bproj.c - runs the example of Bproj(3)
 */
#include "tests/man/examples/example.h"
#include "Bproj.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(keep(p, F_NAME, F_ACCOUNT) == 0);
	EXPECT(Bpres(p, F_NAME, 0) && Bpres(p, F_ACCOUNT, 0));
	EXPECT(!Bpres(p, F_AMOUNT, 0));
	return 0;
}
