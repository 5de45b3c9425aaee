/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindex.c - runs the example of Bindex(3)
 */
#include "tests/man/examples/example.h"
#include "Bindex.inc"

int main(void)
{
	UBFH *p = record();

	load(p);
	EXPECT(Bpres(p, F_NAME, 0));
	return 0;
}
