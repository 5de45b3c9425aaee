/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogfplock.c - runs the example of tplogfplock(3)
 */
#include "tests/man/examples/example.h"
#include "tplogfplock.inc"

int main(void)
{
	UBFH *p = record();
	char line[4000] = "";
	FILE *f;

	EXPECT(tplogconfig(LOG_FACILITY_TP, log_info, NULL, NULL, "lock.log") == 0);
	show(p);
	f = fopen("lock.log", "r");
	EXPECT(f != NULL && fread(line, 1, sizeof(line) - 1, f) > 0);
	EXPECT(strstr(line, "NAME\tAnna") != NULL);
	return 0;
}
