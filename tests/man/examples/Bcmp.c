/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bcmp.c - runs the example of Bcmp(3)
 */
#include "tests/man/examples/example.h"
#include "Bcmp.inc"

int main(void)
{
	UBFH *p = record();
	UBFH *q = record();

	EXPECT(same(p, q));
	set(q, F_NAME, "Berta");
	EXPECT(!same(p, q));
	return 0;
}
