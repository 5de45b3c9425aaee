/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpalloc.c - runs the example of tpalloc(3)
 */
#include "tests/man/examples/example.h"
#include "tpalloc.inc"

int main(void)
{
	EXPECT(request() != NULL);
	return 0;
}
