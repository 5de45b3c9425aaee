/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bread.c - runs the example of Bread(3)
 */
#include "tests/man/examples/example.h"
#include "Bread.inc"

int main(void)
{
	UBFH *p = record();
	UBFH *q = Balloc(10, 100);
	FILE *f = tmpfile();

	EXPECT(f != NULL && save(p, f) == 0);
	rewind(f);
	EXPECT(Bread(q, f) == 0 && Bcmp(p, q) == 0);
	fclose(f);
	return 0;
}
