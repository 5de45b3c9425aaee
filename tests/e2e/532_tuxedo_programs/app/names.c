/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a broadcast looks for the name that a client gave to tpinit()
 */
#include "tell.h"

static int came;

#ifdef __cplusplus
extern "C" {
#endif
void count(char *data, long len, long flags)
{
	(void)data;
	(void)len;
	(void)flags;
	came++;
}
#ifdef __cplusplus
}
#endif

static int messages(const char *name)
{
	char *p = tpalloc((char *)"STRING", NULL, 20);

	strcpy(p, "text");
	came = 0;
	IS(tpbroadcast(NULL, NULL, (char *)name, p, 0, 0) == 0);
	tpchkunsol();
	tpfree(p);
	return came;
}

int main(void)
{
	TPINIT *info = (TPINIT *)tpalloc((char *)"TPINIT", NULL,
					 TPINITNEED(0));

	strcpy(info->cltname, "teller");
	IS(tpinit(info) == 0);
	IS(tpsetunsol(count) == NULL);
	IS(messages("teller") == 1);
	IS(messages("names") == 0);
	IS(messages(NULL) == 1);
	tpterm();
	return wrong;
}
