/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simpcl.c - simpapp, the client: prints its argument as TOUPPER answers it
 *
 *	buildclient -o simpcl -f simpcl.c
 *	./simpcl "hello, world"
 */
#include <stdio.h>
#include <string.h>
#include <atmi.h>

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, tpstrerror(tperrno));
	return 1;
}

/* Call the service with the text; the exit status. */
static int call(const char *text)
{
	long size = (long)strlen(text) + 1, len;
	char *request = tpalloc("STRING", NULL, size);
	char *reply = tpalloc("STRING", NULL, size);
	int status = 0;

	if (request == NULL || reply == NULL)
		return fail("tpalloc");
	strcpy(request, text);
	if (tpcall("TOUPPER", request, 0, &reply, &len, 0) == -1)
		status = fail("TOUPPER");
	else
		printf("Returned string is: %s\n", reply);
	tpfree(request);
	tpfree(reply);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2) {
		fputs("Usage: simpcl string\n", stderr);
		return 1;
	}
	if (tpinit(NULL) == -1)
		return fail("tpinit");
	status = call(argv[1]);
	tpterm();
	return status;
}
