/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - buffers of the less frequent types are sent, queued and exported
 */
#include "tell.h"
#include <fml.h>
#include <fml32.h>

#define TEXT "<a>\0</a>"
#define LENGTH ((long)sizeof(TEXT) - 1)

static int is(char *p, const char *name)
{
	char type[9] = "", subtype[17] = "x";

	return tptypes(p, type, subtype) >= LENGTH && strcmp(type, name) == 0 &&
	       subtype[0] == '\0' && memcmp(p, TEXT, (size_t)LENGTH) == 0;
}

static void travels(const char *name)
{
	char *p = tpalloc((char *)name, NULL, 100), *back, text[400];
	long len = 0, n = sizeof(text);
	TPQCTL ctl;

	IS(p != NULL);
	memcpy(p, TEXT, (size_t)LENGTH);
	back = tpalloc((char *)"STRING", NULL, 10);
	IS(tpcall((char *)"ECHO", p, LENGTH, &back, &len, 0) == 0);
	IS(len == LENGTH && is(back, name));
	IS(tpcall((char *)"ECHO", p, LENGTH, &back, &len, TPNOCHANGE) == 0);
	IS(tpcall((char *)"ECHO", p, 1000000, &back, &len, 0) == -1);
	IS(tperrno == TPEINVAL);
	tpfree(back);
	back = tpalloc((char *)"STRING", NULL, 10);
	memset(&ctl, 0, sizeof(ctl));
	IS(tpenqueue((char *)"SPACE", (char *)"TYPES", &ctl, p, LENGTH, 0) ==
	   0);
	IS(tpdequeue((char *)"SPACE", (char *)"TYPES", &ctl, &back, &len, 0) ==
	   0);
	IS(len == LENGTH && is(back, name));
	IS(tpexport(p, LENGTH, text, &n, TPEX_STRING) == 0);
	tpfree(back);
	back = tpalloc((char *)"STRING", NULL, 10);
	IS(tpimport(text, 0, &back, &len, TPEX_STRING) == 0);
	IS(len == LENGTH && is(back, name));
	tpfree(back);
	tpfree(p);
}

int main(void)
{
	char *p;

	travels("XML");
	travels("MBSTRING");
	travels("CARRAY");
	IS(tpalloc((char *)"NOTYPE", NULL, 10) == NULL && tperrno == TPENOENT);
	IS((p = tpalloc((char *)FMLTYPE32, NULL, 500)) != NULL);
	tpfree(p);
	IS((p = tpalloc((char *)FMLTYPE, NULL, 500)) != NULL);
	tpfree(p);
	tpterm();
	return wrong;
}
