/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tppost.c - runs the example of tppost(3)
 *
 * serves: PUBLISH 12345 -> 1
 */
#include "tests/man/examples/example.h"
#define tpsvrinit subscribe
#include "tppost.inc"

#undef tpsvrinit

static void ONPRICE(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, svc->data, 0, 0);
}

/* How many subscribers a post reaches. */
static void PUBLISH(TPSVCINFO *svc)
{
	snprintf(svc->data, 5, "%d", publish(svc->data));
	tpreturn(TPSUCCESS, 0, svc->data, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	if (subscribe(argc, argv) != 0)
		return -1;
	return tpadvertise("ONPRICE", ONPRICE) != 0 ||
	       tpadvertise("PUBLISH", PUBLISH) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
