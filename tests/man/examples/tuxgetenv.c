/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tuxgetenv.c - runs the example of tuxgetenv(3)
 *
 * prints: node *, server *
 */
#include "tests/man/examples/example.h"
#include "tuxgetenv.inc"

int main(void)
{
	about();
	return 0;
}
