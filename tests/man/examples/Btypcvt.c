/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Btypcvt.c - runs the example of Btypcvt(3)
 *
 * prints: 42
 */
#include "tests/man/examples/example.h"
#include "Btypcvt.inc"

int main(void)
{
	show(42);
	return 0;
}
