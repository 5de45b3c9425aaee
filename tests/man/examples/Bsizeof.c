/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bsizeof.c - runs the example of Bsizeof(3)
 *
 * prints: * of * bytes
 */
#include "tests/man/examples/example.h"
#include "Bsizeof.inc"

int main(void)
{
	UBFH *p = record();

	report(p);
	return 0;
}
