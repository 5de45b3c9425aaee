/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bvget.c - runs the example of Bvget(3)
 */
#include "tests/man/examples/example.h"
#include "Bvget.inc"

int main(void)
{
	void *c = a_customer();

	EXPECT(account(c) == 4711);
	return 0;
}
