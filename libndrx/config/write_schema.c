/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_schema.c - program that writes conf/ndrxconfig.rng (target schema)
 */
#include "libndrx/config/relaxng.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = argc == 2 ? fopen(argv[1], "w") : NULL;
	int failed;

	if (f == NULL || ow_config_relaxng(&text, &len) != 0) {
		fprintf(stderr, "usage: write_schema FILE\n");
		return 2;
	}
	failed = fwrite(text, 1, len, f) != len;
	failed |= fclose(f) != 0;
	free(text);
	return failed;
}
