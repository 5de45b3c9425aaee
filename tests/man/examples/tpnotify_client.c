/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpnotify_client.c - listens as the example of tpnotify(3) does
 *
 * links: atmisrv
 * prints: news: hello
 */
#include "tests/man/examples/example.h"
#include "tpnotify.inc"

/* What the library of servers wants; this is a client. */
int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("ORDER", ORDER);
}

void tpsvrdone(void)
{
}

int main(void)
{
	char *p = text("hello");
	long len;

	EXPECT(listen_for_news() == 0);
	EXPECT(tpcall("TPNOTIFY", p, 0, &p, &len, 0) == 0);
	EXPECT(tpchkunsol() >= 0);
	return 0;
}
