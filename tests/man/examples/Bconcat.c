/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bconcat.c - runs the example of Bconcat(3)
 */
#include "tests/man/examples/example.h"
#include "Bconcat.inc"

int main(void)
{
	UBFH *p = record();
	UBFH *q = Balloc(10, 100);
	set(q, F_NAME, "Berta");

	EXPECT(refresh(p, q) == 0);
	EXPECT(strcmp(Bfind(p, F_NAME, 0, NULL), "Berta") == 0);
	EXPECT(Bpres(p, F_AMOUNT, 0));
	return 0;
}
