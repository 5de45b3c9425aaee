/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplog.c - runs the example of tplog(3)
 */
#include "tests/man/examples/example.h"
#include "tplog.inc"

int main(void)
{
	char line[4000] = "";
	FILE *f;

	EXPECT(tplogconfig(LOG_FACILITY_TP, log_debug, NULL, NULL, "tplog.log") == 0);
	step(7);
	f = fopen("tplog.log", "r");
	EXPECT(f != NULL && fread(line, 1, sizeof(line) - 1, f) > 0);
	EXPECT(strstr(line, "step 7") != NULL && strstr(line, "a line") != NULL);
	return 0;
}
