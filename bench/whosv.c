/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whosv.c - a server whose service WHO says which process served the request
 */
#include <string.h>
#include <unistd.h>
#include <atmi.h>
#include <userlog.h>

void WHO(TPSVCINFO *svc);

/* The first bytes of the request become the process id. */
void WHO(TPSVCINFO *svc)
{
	int pid = (int)getpid();

	if (svc->len < (long)sizeof(pid))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	memcpy(svc->data, &pid, sizeof(pid));
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("WHO", WHO) == -1) {
		userlog("whosv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
