/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpreplyfd.c - runs the example of tpreplyfd(3)
 *
 * prints: hello
 * prints: hello
 * prints: hello
 */
#include "tests/man/examples/example.h"
#include "tpreplyfd.inc"

int main(void)
{
	EXPECT(three(text("hello")) == 0);
	return 0;
}
