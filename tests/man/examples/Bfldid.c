/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bfldid.c - runs the example of Bfldid(3)
 */
#include "tests/man/examples/example.h"
#include "Bfldid.inc"

int main(void)
{
	EXPECT(account() == F_ACCOUNT);
	return 0;
}
