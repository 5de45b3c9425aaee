/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h - what the runs of the examples of section 3 share
 */
#ifndef OW_EXAMPLE_H
#define OW_EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atmi.h>
#include <ubf.h>

/* Fields of tests/man/fields.fld. */
#define F_COUNT Bmkfldid(BFLD_LONG, 1002)
#define F_AMOUNT Bmkfldid(BFLD_DOUBLE, 1003)
#define F_ACCOUNT Bmkfldid(BFLD_STRING, 1001)
#define F_NAME Bmkfldid(BFLD_STRING, 1004)
#define F_SUB Bmkfldid(BFLD_UBF, 1005)
#define F_BYTES Bmkfldid(BFLD_CARRAY, 1006)
#define F_VIEW Bmkfldid(BFLD_VIEW, 1007)

#define EXPECT(what) expect(what, #what, __LINE__)

static inline void expect(int is_so, const char *what, int line)
{
	if (is_so)
		return;
	fprintf(stderr, "line %d: not so: %s (%s; %s)\n", line, what,
		tpstrerror(tperrno), Bstrerror(Berror));
	exit(1);
}

static inline void set(UBFH *p, BFLDID field, const char *value)
{
	EXPECT(CBchg(p, field, 0, (char *)value, 0, BFLD_STRING) == 0);
}

/* A buffer with three fields. */
static inline UBFH *record(void)
{
	UBFH *p = Balloc(20, 1000);

	EXPECT(p != NULL);
	set(p, F_AMOUNT, "12.5");
	set(p, F_ACCOUNT, "4711");
	set(p, F_NAME, "Anna");
	return p;
}

/* A structure of tests/man/views.v. */
static inline void *a_customer(void)
{
	char *c = calloc(1, (size_t)Bvsizeof("CUSTOMER"));
	long account = 4711;

	EXPECT(c != NULL && Bvsinit(c, "CUSTOMER") == 0);
	EXPECT(CBvchg(c, "CUSTOMER", "account", 0, (char *)&account, 0,
		      BFLD_LONG) == 0);
	EXPECT(CBvchg(c, "CUSTOMER", "name", 0, "Anna", 0, BFLD_STRING) == 0);
	return c;
}

/* A STRING buffer. */
static inline char *text(const char *s)
{
	char *p = tpalloc("STRING", NULL, 100);

	EXPECT(p != NULL);
	return strcpy(p, s);
}

/* 100 letters. */
static inline char *long_text(void)
{
	static char s[101];

	memset(s, 'x', 100);
	return s;
}

#endif
