/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intruder.c - a library that says that it was loaded: it makes a file
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void come(void)
{
	const char *path = getenv("INTRUDED");

	if (path != NULL)
		close(open(path, O_WRONLY | O_CREAT, 0666));
}
