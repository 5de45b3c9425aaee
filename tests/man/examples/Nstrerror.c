/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nstrerror.c - runs the example of Nstrerror(3)
 *
 * prints: *NEINVAL*
 */
#include <ndebug.h>
#include "tests/man/examples/example.h"
#include "Nstrerror.inc"

int main(void)
{
	EXPECT(tplogqinfo(4, 0) == -1);
	complain();
	return 0;
}
