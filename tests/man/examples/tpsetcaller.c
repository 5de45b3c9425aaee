/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetcaller.c - runs the example of tpsetcaller(3)
 *
 * serves: ASK x -> x
 */
#include "tests/man/examples/example.h"
#include "tpsetcaller.inc"

static void ASK(TPSVCINFO *svc)
{
	char *data = text(svc->data);
	long len = 0;
	int r = ask_for("anna", &data, &len);

	tpreturn(r == 0 ? TPSUCCESS : TPFAIL, 0, data, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	if (tpadvertise("WHOASKS", WHOASKS) != 0)
		return -1;
	return tpadvertise("ASK", ASK);
}

void tpsvrdone(void)
{
}
