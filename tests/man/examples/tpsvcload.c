/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsvcload.c - runs the example of tpsvcload(3)
 */
#include "tests/man/examples/example.h"
#include "tpsvcload.inc"

int main(void)
{
	struct tpload l;
	char *p = text("hello");
	long len = 0;

	EXPECT(tpcall("ECHO", p, 0, &p, &len, 0) == 0);
	EXPECT(tpsvcload("ECHO", &l) == 0);
	EXPECT(l.servers > 0 && l.served > 0 && l.usec >= 0);
	EXPECT(!is_late("ECHO", 1000000));
	EXPECT(!is_late("NOSVC", 0) && tperrno == TPENOENT);
	return 0;
}
