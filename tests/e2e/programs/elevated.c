/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elevated.c - a client that stories install as a set-user-ID program
 *
 * Writes to ULOG and to its log, opens a resource manager, calls ECHO, expands
 * a field name, reads ENVFILE, and says what came of it.
 */
#include <ndebug.h>
#include <stdio.h>
#include <string.h>
#include <ubf.h>
#include <userlog.h>
#include <xatmi.h>

int main(void)
{
	char *b, *out = NULL;
	long len = 0;

	userlog((char *)"a line of ULOG");
	TP_LOG(log_error, "a line of the log");
	(void)tuxreadenv(NULL, NULL);
	if (tpopen() != 0)
		printf("tpopen %s\n", tpecodestr(tperrno));
	printf("field %s\n", Bfldid((char *)"T_OWN") == BBADFLDID ? "unknown"
								  : "known");
	b = tpalloc((char *)"STRING", NULL, 10);
	strcpy(b, "x");
	printf("ECHO %s\n", tpcall((char *)"ECHO", b, 0, &out, &len, 0) == 0
				? out : tpecodestr(tperrno));
	return tpterm();
}
