/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bfind.c - runs the example of Bfind(3)
 *
 * prints: Anna
 * prints: (none)
 */
#include "tests/man/examples/example.h"
#include "Bfind.inc"

int main(void)
{
	UBFH *p = record();

	show(p, F_NAME);
	Bdel(p, F_NAME, 0);
	show(p, F_NAME);
	return 0;
}
