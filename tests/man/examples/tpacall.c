/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpacall.c - runs the example of tpacall(3)
 */
#include "tests/man/examples/example.h"
#include "tpacall.inc"

int main(void)
{
	char *p = text("hello");
	char *reply = NULL;

	EXPECT(both(p, &reply) == 0);
	EXPECT(strcmp(reply, "hello") == 0);
	return 0;
}
