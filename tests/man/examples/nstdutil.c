/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nstdutil.c - runs the example of nstdutil(3)
 */
#include "tests/man/examples/example.h"
#include "nstdutil.inc"

int main(void)
{
	EXPECT(load("nstdutil.txt") == EXFAIL);
	fclose(fopen("nstdutil.txt", "w"));
	EXPECT(load("nstdutil.txt") == EXSUCCEED);
	return 0;
}
