/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tptoutset.c - runs the example of tptoutset(3)
 */
#include "tests/man/examples/example.h"
#include "tptoutset.inc"

int main(void)
{
	char *p = text("hello");
	char *reply = NULL;

	EXPECT(quick(p, &reply) == 0);
	EXPECT(strcmp(reply, "hello") == 0);
	return 0;
}
