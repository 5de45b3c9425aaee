/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpubftojson.c - runs the example of tpubftojson(3)
 *
 * prints: {"NAME":"Anna"}
 */
#include "tests/man/examples/example.h"
#include "tpubftojson.inc"

int main(void)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);

	EXPECT(p != NULL && Bchg(p, F_NAME, 0, "Anna", 0) == 0);
	EXPECT(show(p) == 0);
	EXPECT(strcmp(Bfind(p, F_NAME, 0, NULL), "new") == 0);
	return 0;
}
