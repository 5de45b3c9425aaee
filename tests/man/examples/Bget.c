/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bget.c - runs the example of Bget(3)
 *
 * prints: Anna
 * prints: longer than 80 bytes
 */
#include "tests/man/examples/example.h"
#include "Bget.inc"

int main(void)
{
	UBFH *p = record();

	show(p, F_NAME);
	set(p, F_NAME, long_text());
	show(p, F_NAME);
	return 0;
}
