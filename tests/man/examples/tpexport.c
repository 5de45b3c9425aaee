/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpexport.c - runs the example of tpexport(3)
 *
 * prints: {*"data":"hello"*}
 */
#include "tests/man/examples/example.h"
#include "tpexport.inc"

int main(void)
{
	char *p = text("hello");

	EXPECT(save(p, 0, stdout) == 0);
	return 0;
}
