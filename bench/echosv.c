/* SPDX-License-Identifier: Apache-2.0 */
/*
 * echosv.c - a server without work: ECHO returns its data, SINK is for
 * one-way requests, CONV counts the messages of a conversation.
 * With SINKS=N in its environment it has SINK0 to SINKN-1, too
 */
#include <stdio.h>
#include <stdlib.h>
#include <atmi.h>
#include <userlog.h>

/* Its services may run in several threads. */
int _tmbuilt_with_thread_option = 1;

void ECHO(TPSVCINFO *svc);
void SINK(TPSVCINFO *svc);
void CONV(TPSVCINFO *svc);

void ECHO(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

void SINK(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

void CONV(TPSVCINFO *svc)
{
	long n = 0, len = 0, event = 0;
	char *p = NULL;

	while (tprecv(svc->cd, &p, &len, 0, &event) == 0)
		n++;
	tpreturn(event == TPEV_SENDONLY ? TPSUCCESS : TPFAIL, n + 1, p, len, 0);
}

static int advertise_sinks(void)
{
	const char *n = getenv("SINKS");
	char name[XATMI_SERVICE_NAME_LENGTH];
	long i;

	for (i = 0; n != NULL && i < atol(n); i++) {
		snprintf(name, sizeof(name), "SINK%ld", i);
		if (tpadvertise(name, SINK) == -1)
			return -1;
	}
	return 0;
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("ECHO", ECHO) == -1 ||
	    tpadvertise("SINK", SINK) == -1 ||
	    tpadvertise("CONV", CONV) == -1 || advertise_sinks() == -1) {
		userlog("echosv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
