/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early.c - what is set before tpinit() counts after it, and a name that tpinit()
 * was given outlives the domain
 */
#include "broadcast.h"

/* The handler is set first, which tpinit() then finds. */
static void join(long flags, const char *name)
{
	TPINIT *info = (TPINIT *)tpalloc((char *)"TPINIT", NULL,
					 TPINITNEED(0));

	IS(tpchkauth() == TPNOAUTH);
	IS(tpsetunsol(count) == NULL);
	info->flags = flags;
	strcpy(info->cltname, name);
	IS(tpinit(info) == 0);
	IS(messages(name) == 1);
	IS(messages("early") == 0);
	IS(messages(NULL) == 1); /* there is no second context */
	tpfree((char *)info);
}

int main(void)
{
	join(0, "clerk");
	tpterm();
	join(TPMULTICONTEXTS | TPU_DIP, "teller");
	IS(system("tmshutdown -y >/dev/null && tmboot -y >/dev/null") == 0);
	IS(messages("teller") == 1);
	IS(messages("early") == 0);
	tpterm();
	return wrong;
}
