/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bgetfields.c - runs the example of Bgetfields(3)
 *
 * prints: 0: one
 * prints: 1: two
 */
#include "tests/man/examples/example.h"
#include "Bgetfields.inc"

int main(void)
{
	BFLDID id = BFLD_STRING << 25 | 5000;
	char *data = make(id, "one", "two");

	EXPECT(data != NULL);
	EXPECT(strings((UBFH *)data) == 2);
	tpfree(data);
	return 0;
}
