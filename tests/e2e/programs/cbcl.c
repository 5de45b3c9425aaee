/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cbcl.c - a client whose handler of unsolicited messages has a pointer
 *
 * Calls CBTELL and prints what the handler has put where its pointer leads, and
 * what tpsetunsol() says of a handler with a pointer: nothing.
 */
#include <stdio.h>
#include <string.h>
#include <tpbind.h>
#include <unistd.h>

#include "common.h"

static void on_message(char *data, long len, long flags, void *ptr)
{
	(void)len;
	(void)flags;
	strcpy(ptr, data);
}

int main(void)
{
	char got[20] = "", *out = NULL;
	void (*before)(char *, long, long);
	long len;
	int i;

	if (tpsetunsol_cb(on_message, got) != 0 ||
	    tpcall("CBTELL", NULL, 0, &out, &len, 0) != 0) {
		printf("%s\n", tpstrerror(tperrno));
		return 1;
	}
	for (i = 0; i < 1000 && got[0] == '\0'; i++) {
		tpchkunsol();
		usleep(1000);
	}
	before = tpsetunsol(NULL);
	printf("%s %s %d\n", out, got, before == NULL);
	return 0;
}
