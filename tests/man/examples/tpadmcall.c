/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpadmcall.c - runs the example of tpadmcall(3)
 *
 * prints: *
 */
#include "tests/man/examples/example.h"
#include "tpadmcall.inc"

int main(void)
{
	EXPECT(print_servers() == 0);
	return 0;
}
