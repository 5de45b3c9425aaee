/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nstopwatch.c - runs the example of nstopwatch(3)
 *
 * prints: * ms
 */
#include "tests/man/examples/example.h"
#include "nstopwatch.inc"

static void work(void)
{
}

int main(void)
{
	measured(work);
	return 0;
}
