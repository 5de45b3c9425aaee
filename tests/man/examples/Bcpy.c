/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bcpy.c - runs the example of Bcpy(3)
 */
#include "tests/man/examples/example.h"
#include "Bcpy.inc"

int main(void)
{
	UBFH *p = record();
	UBFH *q = copy(p);

	EXPECT(q != NULL && Bcmp(p, q) == 0);
	return 0;
}
