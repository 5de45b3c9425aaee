/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bmkfldid.c - runs the example of Bmkfldid(3)
 *
 * prints: string 1004
 */
#include "tests/man/examples/example.h"
#include "Bmkfldid.inc"

int main(void)
{
	show(F_NAME);
	return 0;
}
