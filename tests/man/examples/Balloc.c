/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balloc.c - runs the example of Balloc(3)
 */
#include "tests/man/examples/example.h"
#include "Balloc.inc"

int main(void)
{
	UBFH *p = make();

	EXPECT(p != NULL && Bsizeof(p) > 0);
	Bfree(p);
	return 0;
}
