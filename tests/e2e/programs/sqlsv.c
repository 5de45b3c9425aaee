/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlsv.c - what servers that run SQL have in common
 *
 * After `--`: the names of their service.
 */
#include <stdio.h>
#include <unistd.h>
#include <atmi.h>

#include "sqlsv.h"

void leave_a_child(void)
{
	if (fork() == 0)
		alarm(15);
	for (;;)
		pause();
}

int tpsvrinit(int argc, char **argv)
{
	if (tpopen() != 0) {
		fprintf(stderr, "tpopen: %s\n", tpstrerror(tperrno));
		return -1;
	}
	for (; optind < argc; optind++)
		if (tpadvertise(argv[optind], serve) != 0)
			return -1;
	return 0;
}

void tpsvrdone(void)
{
}
