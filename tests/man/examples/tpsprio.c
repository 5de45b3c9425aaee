/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsprio.c - runs the example of tpsprio(3)
 */
#include "tests/man/examples/example.h"
#include "tpsprio.inc"

int main(void)
{
	char *p = text("hello");

	EXPECT(urgent(p) == 0);
	EXPECT(tpgprio() == 90);
	return 0;
}
