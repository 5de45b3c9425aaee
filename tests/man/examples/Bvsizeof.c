/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bvsizeof.c - runs the example of Bvsizeof(3)
 */
#include "tests/man/examples/example.h"
#include "Bvsizeof.inc"

int main(void)
{
	char *c = customer();

	EXPECT(c != NULL);
	EXPECT(Bvnull(c, "account", 0, "CUSTOMER") == 1);
	free(c);
	return 0;
}
