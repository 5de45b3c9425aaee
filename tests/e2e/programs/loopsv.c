/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loopsv.c - a server that calls between its requests, and waits for the replies
 * in its own loop
 *
 * KICK N has it call ECHO N times before it waits again; what comes is fetched
 * when the descriptor of the context is readable. KICKED says how many have
 * come, as urcode. The calls are those of a context beside the server's, whose
 * calls end with each service.
 */
#include <stdio.h>
#include <stdlib.h>
#include <oatmi.h>
#include <sys/epoll.h>
#include <tpbind.h>

#include "common.h"

static long wanted, came;
static TPCONTEXT_T mine;

static void answer(long n)
{
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}

static void svc_kick(TPSVCINFO *s)
{
	wanted += atol(s->data);
	answer(0);
}

static void svc_kicked(TPSVCINFO *s)
{
	(void)s;
	answer(came);
}

static int on_replies(int fd, uint32_t events, void *ptr1)
{
	char *data = NULL;
	long len;
	int cd;

	(void)fd;
	(void)events;
	(void)ptr1;
	while (Otpgetrply(&mine, &cd, &data, &len, TPGETANY | TPNOBLOCK) == 0)
		came++;
	tpfree(data);
	return 0;
}

/* The first time it is the moment to watch descriptors, too. */
static int before_wait(void)
{
	static int fd = -1;

	if (fd == -1) {
		mine = tpnewctxt(0, 0);
		fd = mine != NULL ? Otpreplyfd(&mine) : -1;
		if (fd == -1 ||
		    tpext_addpollerfd(fd, EPOLLIN, NULL, on_replies) != 0)
			return -1;
	}
	for (; wanted > 0; wanted--)
		if (Otpacall(&mine, "ECHO", NULL, 0, TPNOBLOCK) < 0)
			break; /* its queue is full: next time */
	return 0;
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpext_addb4pollcb(before_wait) != 0 ||
	    tpadvertise("KICK", svc_kick) != 0)
		return -1;
	return tpadvertise("KICKED", svc_kicked);
}

void tpsvrdone(void)
{
	tpfreectxt(mine);
}
