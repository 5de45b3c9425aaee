/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_buffers.c - services of the test server about buffers and what they hold
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "testsv.h"

void svc_upper(TPSVCINFO *s)
{
	char *p;

	for (p = s->data; p != NULL && *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

/* "N": return N bytes. */
void svc_big(TPSVCINFO *s)
{
	long n = atol(text(s));
	char *b = tpalloc("CARRAY", NULL, n);

	memset(b, 'b', (size_t)n);
	tpreturn(TPSUCCESS, test_sum(b, (size_t)n), b, n, 0);
}

void svc_info(TPSVCINFO *s)
{
	char type[XATMI_TYPE_LEN + 1] = "-", sub[XATMI_SUBTYPE_LEN + 1];
	char all[200];

	if (s->data != NULL)
		tptypes(s->data, type, sub);
	snprintf(all, sizeof(all), "%s %s %s %ld", s->name, s->fname, type,
		 s->len);
	answer(TPSUCCESS, s->flags, all);
}

/* A view of that name, null but for its member `number`. */
void svc_view(TPSVCINFO *s)
{
	char name[64];
	long n = 42;
	char *v;

	snprintf(name, sizeof(name), "%s", text(s));
	v = tpalloc("VIEW", name, 0);
	if (v == NULL || CBvchg(v, name, "number", 0, (char *)&n, 0,
				BFLD_LONG) < 0)
		answer(TPFAIL, 0, v == NULL ? tpstrerror(tperrno)
					    : Bstrerror(Berror));
	tpreturn(TPSUCCESS, 0, v, 0, 0);
}

/* Return the texts that the data point to in capitals, and one more buffer
 * that points back to the data. */
void svc_points(TPSVCINFO *s)
{
	char *more = tpalloc("UBF", NULL, 1024), *to, *c;
	UBFH *p = (UBFH *)s->data;
	BFLDOCC i, n = Boccur(p, TEST_POINTER);

	for (i = 0; i < n; i++) {
		if (Bget(p, TEST_POINTER, i, (char *)&to, NULL) != 0 ||
		    to == NULL)
			tpreturn(TPFAIL, i, NULL, 0, 0);
		for (c = to; *c != '\0'; c++)
			*c = (char)toupper((unsigned char)*c);
	}
	if (Badd(p, TEST_POINTER, (char *)&more, 0) != 0 ||
	    Badd((UBFH *)more, TEST_POINTER, (char *)&s->data, 0) != 0)
		tpreturn(TPFAIL, n, NULL, 0, 0);
	tpreturn(TPSUCCESS, n, s->data, 0, 0);
}

void svc_fwdpoints(TPSVCINFO *s)
{
	tpforward("POINTS", s->data, 0, 0);
}

/* A UBF buffer with the text. */
void svc_ubfof(TPSVCINFO *s)
{
	char *b = tpalloc("UBF", NULL, 1024);

	if (Badd((UBFH *)b, 167772161 /* string 1 */, s->data, 0) != 0)
		tpreturn(TPFAIL, Berror, NULL, 0, 0);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

/* JSON that is none. */
void svc_answer(TPSVCINFO *s)
{
	char *b = tpalloc("JSON", NULL, 10);

	(void)s;
	strcpy(b, "{none");
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

/* The text of the request's call header, without a header. */
void svc_infoof(TPSVCINFO *s)
{
	UBFH *info = NULL;
	BFLDLEN n = 0;
	char text[4000] = "", *p = NULL;

	if (s->data != NULL && tpgetcallinfo(s->data, &info, 0) == 0)
		p = Bfind(info, TEST_FIELD, 0, &n);
	if (p != NULL)
		snprintf(text, sizeof(text), "%.*s", n, p);
	answer(p != NULL ? TPSUCCESS : TPFAIL, 0, text);
}

/* The request with the header "of SETINFO". */
void svc_setinfo(TPSVCINFO *s)
{
	UBFH *info = (UBFH *)tpalloc("UBF", NULL, 1024);

	if (Bchg(info, TEST_FIELD, 0, "of SETINFO", 10) != 0 ||
	    tpsetcallinfo(s->data, info, 0) != 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	tpfree((char *)info);
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

/* Encrypt, decrypt the text. */
void svc_encrypt(TPSVCINFO *s)
{
	char out[1000];
	long len = sizeof(out);
	int r = tpencrypt(s->data, 0, out, &len, TPEX_STRING);

	answer(r == 0 ? TPSUCCESS : TPFAIL, tperrno, r == 0 ? out : "");
}

void svc_decrypt(TPSVCINFO *s)
{
	char out[1000];
	long len = sizeof(out);
	int r = tpdecrypt(s->data, 0, out, &len, TPEX_STRING);

	answer(r == 0 ? TPSUCCESS : TPFAIL, tperrno, r == 0 ? out : "");
}
