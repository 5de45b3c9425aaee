/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_thpool_init.c - runs the example of ndrx_thpool_init(3)
 */
#include "tests/man/examples/example.h"
#include "ndrx_thpool_init.inc"

int main(void)
{
	EXPECT(hundred() == 100);
	return 0;
}
