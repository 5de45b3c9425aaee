/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a broadcast looks for the names that a client gave to tpinit()
 */
#include <time.h>
#include "broadcast.h"

/* The end of 1999, and data for an authorization service. */
static void dates_and_data(void)
{
	size_t size = 100000;
	char *p = tpalloc((char *)"TPINIT", NULL, (long)TPINITNEED(size));
	struct tm day;

	memset(&day, 0, sizeof(day));
	day.tm_year = 100;
	IS(gp_mktime(&day) != (time_t)-1);
	IS(day.tm_year == 99 && day.tm_mon == 11);
	IS(tptypes(p, NULL, NULL) >= (long)(sizeof(TPINIT) + size));
	memset(&((TPINIT *)(void *)p)->data, 1, size);
	tpfree(p);
}

int main(void)
{
	TPINIT *info = (TPINIT *)tpalloc((char *)"TPINIT", NULL,
					 TPINITNEED(0));

	dates_and_data();
	strcpy(info->cltname, "teller");
	strcpy(info->usrname, "anna");
	IS(tpinit(info) == 0);
	IS(tpsetunsol(count) == NULL);
	IS(messages("teller") == 1);
	IS(messages("names") == 0);
	IS(messages(NULL) == 1);
	IS(messages_at("site1", "teller") == 1);
	IS(messages_at("1", NULL) == 1);
	IS(messages_at("site2", NULL) == 0);
	IS(messages_of(NULL, "anna", NULL) == 1);
	IS(messages_of(NULL, "berta", NULL) == 0);
	IS(messages_of(NULL, "anna", "teller") == 1);
	/* NULL is any name, "" the empty one. */
	IS(messages_of(NULL, "", NULL) == 0);
	IS(messages("") == 0);
	tpterm();
	info->usrname[0] = info->cltname[0] = '\0';
	IS(tpinit(info) == 0);
	IS(tpsetunsol(count) == NULL);
	IS(messages_of(NULL, "", "") == 1);
	IS(messages_of(NULL, "anna", NULL) == 0);
	tpterm();
	return wrong;
}
