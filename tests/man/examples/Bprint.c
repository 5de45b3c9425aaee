/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bprint.c - runs the example of Bprint(3)
 *
 * prints: AMOUNT\t12.500000
 * prints: T_ACCNUM\t4711
 * prints: NAME\tAnna
 */
#include "tests/man/examples/example.h"
#include "Bprint.inc"

int main(void)
{
	UBFH *p = record();

	log_it(p, stdout);
	return 0;
}
