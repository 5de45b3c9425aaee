/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bstrerror.c - runs the example of Bstrerror(3)
 *
 * prints: *BNOTFLD*
 */
#include "tests/man/examples/example.h"
#include "Bstrerror.inc"

int main(void)
{
	EXPECT(Bfree(NULL) == -1);
	complain();
	return 0;
}
