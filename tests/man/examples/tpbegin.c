/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpbegin.c - runs the example of tpbegin(3)
 */
#include "tests/man/examples/example.h"
#include "tpbegin.inc"

int main(void)
{
	char *p = text("hello");

	EXPECT(tpopen() == 0);
	EXPECT(transfer(p, text("b"), 0) == 0);
	EXPECT(tpgetlev() == 0);
	EXPECT(tpclose() == 0);
	return 0;
}
