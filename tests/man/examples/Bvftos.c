/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bvftos.c - runs the example of Bvftos(3)
 */
#include "tests/man/examples/example.h"
#include "Bvftos.inc"

int main(void)
{
	UBFH *p = record();
	void *c = a_customer();
	long v = 0;

	EXPECT(to_buffer(p, c) == 0);
	EXPECT(CBget(p, F_COUNT, 0, (char *)&v, NULL, BFLD_LONG) == 0);
	EXPECT(v == 4711);
	return 0;
}
