/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bnext.c - runs the example of Bnext(3)
 *
 * prints: AMOUNT[0]
 * prints: T_ACCNUM[0]
 * prints: NAME[0]
 */
#include "tests/man/examples/example.h"
#include "Bnext.inc"

int main(void)
{
	UBFH *p = record();

	names(p);
	return 0;
}
