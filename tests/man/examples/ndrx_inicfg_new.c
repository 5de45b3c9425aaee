/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_inicfg_new.c - runs the example of ndrx_inicfg_new(3)
 * prints: 7
 */
#include "tests/man/examples/example.h"
#include "ndrx_inicfg_new.inc"

int main(void)
{
	FILE *f = fopen("inicfg.ini", "w");

	EXPECT(f != NULL);
	fputs("[gateway]\nport=7\n[gateway/tcp]\n", f);
	fclose(f);
	EXPECT(print_port((char *)"inicfg.ini") == 0);
	EXPECT(print_port((char *)"none.ini") == -1);
	return 0;
}
