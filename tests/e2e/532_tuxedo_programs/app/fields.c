/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - values, and texts of several buffers in one file
 */
#include "tell.h"
#include "fml32.h"
#include "names.fld.h"

static FBFR32 *filled(long number)
{
	FBFR32 *p = Falloc32(10, 500);
	short small = (short)-number;

	IS(Fadd32(p, NUMBER, (char *)&number, 0) != -1);
	IS(Fadd32(p, SMALL, (char *)&small, 0) != -1);
	IS(Fadd32(p, TEXT, (char *)"first", 0) != -1);
	return p;
}

static void values(void)
{
	FBFR32 *p = filled(42);
	FLDLEN32 len = 0;

	IS(Fvall32(p, NUMBER, 0) == 42 && Fvall32(p, SMALL, 0) == -42);
	IS(strcmp(Fvals32(p, TEXT, 0), "first") == 0);
	IS(Fvall32(p, NUMBER, 1) == 0 && Ferror32 == FNOTPRES);
	IS(*Fvals32(p, TEXT, 1) == '\0' && Ferror32 == FNOTPRES);
	IS(Fvall32(p, TEXT, 0) == 0 && Ferror32 == FTYPERR);
	IS(*Fvals32(p, NUMBER, 0) == '\0' && Ferror32 == FTYPERR);
	/* Is it there? */
	IS(Fget32(p, TEXT, 0, NULL, &len) != -1 && len == 6);
	IS(Fget32(p, TEXT, 0, NULL, NULL) != -1);
	IS(Fget32(p, TEXT, 1, NULL, NULL) == -1 && Ferror32 == FNOTPRES);
	IS(CFget32(p, NUMBER, 0, NULL, NULL, FLD_STRING) != -1);
	Ffree32(p);
}

#ifdef __cplusplus
extern "C" {
#endif
static long feed(char *buffer, long size, void *arg)
{
	const char **at = (const char **)arg;
	size_t n = strlen(*at);

	if (n > (size_t)size)
		n = (size_t)size;
	memcpy(buffer, *at, n);
	*at += n;
	return (long)n;
}
#ifdef __cplusplus
}
#endif

/* No line of what a callback gives is left out, whatever stands before it. */
static void one_text(void)
{
	const char *at = "\n# blank lines\n\nNUMBER\t5\n\nSMALL\t2\n";
	FBFR32 *p = Falloc32(10, 500);

	IS(Bextreadcb(p, feed, (void *)&at) != -1);
	IS(Fvall32(p, NUMBER, 0) == 5 && Fvall32(p, SMALL, 0) == 2);
	Ffree32(p);
}

/* Two buffers, one after the other. */
static void texts(void)
{
	FBFR32 *one = filled(1), *two = filled(2), *p = Falloc32(10, 500);
	FLDID32 nameless = Fmkfldid32(FLD_STRING, 777);
	char line[80] = "";
	FILE *f = tmpfile();

	IS(f != NULL && Fadd32(two, nameless, (char *)"x", 0) != -1);
	IS(Ffprint32(one, f) != -1 && Ffprint32(two, f) != -1);
	rewind(f);
	IS(Fextread32(p, f) != -1 && Fcmp32(p, one) == 0);
	IS(Finit32(p, (FLDLEN32)Fsizeof32(p)) != -1);
	IS(Fextread32(p, f) != -1 && Fcmp32(p, two) == 0);
	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL &&
	       strtol(line, NULL, 10) == 0)
		;
	IS(strtol(line, NULL, 10) == nameless);
	fclose(f);
	Ffree32(one);
	Ffree32(two);
	Ffree32(p);
}

int main(void)
{
	values();
	texts();
	one_text();
	return wrong;
}
