/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpenqueue.c - runs the example of tpenqueue(3)
 */
#include "tests/man/examples/example.h"
#include "tpenqueue.inc"

int main(void)
{
	char *p = text("hello");
	TPQCTL ctl = { 0 };

	EXPECT(order(p) == 0);
	EXPECT(tpenqueue("ORDERS", "DONE", &ctl, p, 0, TPNOTRAN) == 0);
	strcpy(p, "");
	EXPECT(next(&p) == 0);
	EXPECT(strcmp(p, "hello") == 0);
	return 0;
}
