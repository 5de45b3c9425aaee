/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpcall.c - runs the example of tpcall(3)
 *
 * prints: world
 */
#include "tests/man/examples/example.h"
#include "tpcall.inc"

int main(void)
{
	EXPECT(hello() == 0);
	return 0;
}
