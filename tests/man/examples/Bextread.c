/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bextread.c - runs the example of Bextread(3)
 */
#include "tests/man/examples/example.h"
#include "Bextread.inc"

int main(void)
{
	UBFH *p = Balloc(10, 100);
	FILE *f = fopen("Bextread.txt", "w");

	EXPECT(f != NULL);
	fputs("NAME\tBerta\n\n", f);
	fclose(f);
	EXPECT(load(p, "Bextread.txt") == 0);
	EXPECT(strcmp(Bfind(p, F_NAME, 0, NULL), "Berta") == 0);
	return 0;
}
