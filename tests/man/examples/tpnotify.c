/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpnotify.c - offers the service of the example of tpnotify(3)
 *
 * server:
 */
#include "tests/man/examples/example.h"
#include "tpnotify.inc"

int tpsvrinit(int argc, char **argv)
{
	(void)listen_for_news; /* that of tpnotify_client.c */
	return tpadvertise("TPNOTIFY", ORDER);
}

void tpsvrdone(void)
{
}
