/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bvprint.c - runs the example of Bvprint(3)
 *
 * prints: account\t4711
 * prints: name\tAnna
 */
#include "tests/man/examples/example.h"
#include "Bvprint.inc"

int main(void)
{
	void *c = a_customer();

	show(c);
	return 0;
}
