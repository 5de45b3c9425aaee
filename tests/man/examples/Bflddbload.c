/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bflddbload.c - runs the example of Bflddbload(3)
 */
#include "tests/man/examples/example.h"
#include "Bflddbload.inc"

int main(void)
{
	EXPECT(make_fields() == 0);
	EXPECT(strcmp(Bfname(Bfldid("T_NAME")), "T_NAME") == 0);
	return 0;
}
