/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userlog.c - runs the example of userlog(3)
 */
#include <glob.h>
#include "tests/man/examples/example.h"
#include "userlog.inc"

int main(void)
{
	char pattern[500], line[1000];
	glob_t found;
	FILE *f;
	int n = 0;

	snprintf(pattern, sizeof(pattern), "%s/ULOG.*", getenv("NDRX_ULOG"));
	paid(4711);
	EXPECT(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1);
	f = fopen(found.gl_pathv[0], "r");
	EXPECT(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL)
		n += strstr(line, "account 4711 has paid") != NULL;
	EXPECT(n == 1);
	return 0;
}
