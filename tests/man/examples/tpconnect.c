/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpconnect.c - runs the example of tpconnect(3)
 *
 * processes: 2
 * serves: SUMUP x -> 42
 */
#include "tests/man/examples/example.h"
#include "tpconnect.inc"

static void SUMUP(TPSVCINFO *svc)
{
	static const long numbers[] = { 20, 15, 7 };

	snprintf(svc->data, 3, "%ld", sum_of(numbers, 3));
	tpreturn(TPSUCCESS, 0, svc->data, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("SUM", SUM) != 0 ||
	       tpadvertise("SUMUP", SUMUP) != 0 ? -1 : 0;
}

void tpsvrdone(void)
{
}
