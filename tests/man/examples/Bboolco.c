/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bboolco.c - runs the example of Bboolco(3)
 */
#include "tests/man/examples/example.h"
#include "Bboolco.inc"

int main(void)
{
	UBFH *p = record();

	EXPECT(!is_large(p)); /* 12.5 */
	set(p, F_AMOUNT, "1000.5");
	EXPECT(is_large(p));
	set(p, F_NAME, "Berta");
	EXPECT(!is_large(p));
	return 0;
}
