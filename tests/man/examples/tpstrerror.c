/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpstrerror.c - runs the example of tpstrerror(3)
 *
 * prints: call: *TPEINVAL*
 */
#include "tests/man/examples/example.h"
#include "tpstrerror.inc"

int main(void)
{
	EXPECT(tpcall(NULL, NULL, 0, NULL, NULL, 0) == -1);
	complain("call");
	return 0;
}
