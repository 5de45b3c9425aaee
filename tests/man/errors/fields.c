/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - errors of the functions that read and change fields
 */
#include "tests/man/errors/errors.h"

#include <tpbind.h>

#define NO_TYPE 77
#define X ((char *)"x")

static char room[200];

static void additions(UBFH *p)
{
	FAILS(BALIGNERR, Badd(shifted(p), F_NAME, X, 0));
	FAILS(BNOTFLD, Badd(NULL, F_NAME, X, 0));
	FAILS(BEINVAL, Baddfast(p, F_NAME, X, 0, NULL));
	FAILS(BBADFLD, Badd(p, BBADFLDID, X, 0));
	FAILS(BNOSPACE, Badd(tiny(), F_NAME, long_text(), 0));
	FAILS(BTYPERR, CBadd(p, F_NAME, X, 0, NO_TYPE));
	FAILS(BEBADOP, CBadd(p, F_SUB, X, 0, BFLD_STRING));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBadd(p, F_BYTES, Bfind(p, F_NAME, 0,
							       NULL),
					    0, BFLD_STRING));
}

static void changes(UBFH *p)
{
	FAILS(BALIGNERR, Bchg(shifted(p), F_NAME, 0, X, 0));
	FAILS(BNOTFLD, Bchg(NULL, F_NAME, 0, X, 0));
	FAILS(BEINVAL, Bchg(p, F_NAME, -2, X, 0));
	FAILS(BBADFLD, Bchg(p, BBADFLDID, 0, X, 0));
	FAILS(BNOSPACE, Bchg(tiny(), F_NAME, 0, long_text(), 0));
	FAILS(BTYPERR, CBchg(p, F_NAME, 0, X, 0, NO_TYPE));
	FAILS(BEBADOP, CBchg(p, F_SUB, 0, X, 0, BFLD_STRING));
	FAILS(BNOTPRES, Bchg(p, F_NAME, 5, NULL, 0));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBchg(p, F_BYTES, 3, Bfind(p, F_NAME, 0,
								 NULL),
					    0, BFLD_STRING));
}

/* Of arrays: the second element is wrong. */
static void bulk(UBFH *p)
{
	char *none = NULL, *text = long_text();
	struct Bfield f = { F_NAME, -1, BFLD_STRING, -1, NULL, text, 0 };
	struct Bfield no_id = { BBADFLDID, -1, BFLD_STRING, -1, NULL, X, 0 };
	struct Bfield no_type = { F_NAME, -1, NO_TYPE, -1, NULL, X, 0 };

	FAILS(BNOTFLD, Bgetfields(NULL, &f, 1));
	FAILS(BEINVAL, Bgetfields(p, NULL, 1));
	FAILS(BNOSPACE, Bputfields(tiny(), &f, 1, NULL));
	FAILS(BBADFLD, Bputfields(tiny(), &no_id, 1, NULL));
	FAILS(BTYPERR, Bputfields(tiny(), &no_type, 1, NULL));
	FAILS(TPEINVAL, tpputfields(NULL, &f, 1, NULL));
	FAILS_WITHOUT_MEMORY(TPEOS, tpputfields(&none, &f, 1, NULL));
}

static void deletions(UBFH *p)
{
	BFLDID list[] = { F_NAME, BBADFLDID };
	BFLDID absent[] = { F_COUNT, BBADFLDID };

	FAILS(BALIGNERR, Bdel(shifted(p), F_NAME, 0));
	FAILS(BNOTFLD, Bdelall(NULL, F_NAME));
	FAILS(BBADFLD, Bdel(p, BBADFLDID, 0));
	FAILS(BNOTPRES, Bdel(p, F_NAME, 9));
	FAILS(BNOTPRES, Bdelete(p, absent));
	FAILS(BEINVAL, Bdelete(p, NULL));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bdelete(p, list));
}

static void searches(UBFH *p)
{
	FAILS(BALIGNERR, Bfind(shifted(p), F_NAME, 0, NULL));
	FAILS(BNOTFLD, Bfind(NULL, F_NAME, 0, NULL));
	FAILS(BBADFLD, Bfind(p, BBADFLDID, 0, NULL));
	FAILS(BNOTPRES, Bfind(p, F_NAME, 9, NULL));
	FAILS(BEINVAL, Bfind(p, F_NAME, -2, NULL));
	FAILS(BTYPERR, CBfind(p, F_NAME, 0, NULL, NO_TYPE));
	FAILS(BEBADOP, CBfind(p, F_SUB, 0, NULL, BFLD_LONG));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBfind(p, F_AMOUNT, 0, NULL,
					     BFLD_STRING));
	FAILS(BALIGNERR, Bfindocc(shifted(p), F_NAME, X, 0));
	FAILS(BNOTFLD, Bfindocc(NULL, F_NAME, X, 0));
	FAILS(BBADFLD, Bfindocc(p, BBADFLDID, X, 0));
	FAILS(BNOTPRES, Bfindocc(p, F_NAME, X, 0));
	FAILS(BEINVAL, Bfindocc(p, F_NAME, NULL, 0));
	FAILS(BTYPERR, CBfindocc(p, F_NAME, X, 0, NO_TYPE));
	FAILS(BEBADOP, CBfindocc(p, F_SUB, X, 0, BFLD_STRING));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bfindocc(p, F_NAME, "[A-Z].*", 1));
}

static void values(UBFH *p)
{
	BFLDLEN none = 1;

	FAILS(BALIGNERR, Bget(shifted(p), F_NAME, 0, room, NULL));
	FAILS(BNOTFLD, Bget(NULL, F_NAME, 0, room, NULL));
	FAILS(BBADFLD, Bget(p, BBADFLDID, 0, room, NULL));
	FAILS(BNOTPRES, Bget(p, F_NAME, 9, room, NULL));
	FAILS(BNOSPACE, Bget(p, F_NAME, 0, room, &none));
	FAILS(BEINVAL, Bget(p, F_NAME, -2, room, NULL));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bgetalloc(p, F_NAME, 0, NULL));
	FAILS(BALIGNERR, CBget(shifted(p), F_NAME, 0, room, NULL, BFLD_LONG));
	FAILS(BNOTFLD, CBget(NULL, F_NAME, 0, room, NULL, BFLD_LONG));
	FAILS(BBADFLD, CBget(p, BBADFLDID, 0, room, NULL, BFLD_LONG));
	FAILS(BNOTPRES, CBget(p, F_NAME, 9, room, NULL, BFLD_LONG));
	FAILS(BNOSPACE, CBget(p, F_AMOUNT, 0, room, &none, BFLD_STRING));
	FAILS(BEINVAL, CBget(p, F_NAME, -2, room, NULL, BFLD_LONG));
	FAILS(BTYPERR, CBget(p, F_NAME, 0, room, NULL, NO_TYPE));
	FAILS(BEBADOP, CBget(p, F_SUB, 0, room, NULL, BFLD_LONG));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBgetalloc(p, F_NAME, 0, BFLD_STRING,
						 NULL));
}

static void paths(UBFH *p)
{
	BFLDID no_path[] = { BBADFLDID, 0, BBADFLDOCC };
	BFLDID absent_path[] = { F_SUB, 0, F_COUNT, 0, BBADFLDOCC };
	BFLDID name_path[] = { F_SUB, 0, F_NAME, 0, BBADFLDOCC };
	BFLDID sub_path[] = { F_SUB, 0, BBADFLDOCC };
	BFLDLEN none = 1;

	FAILS(BALIGNERR, Bgetr(shifted(p), name_path, room, NULL));
	FAILS(BNOTFLD, Bgetr(NULL, name_path, room, NULL));
	FAILS(BBADFLD, Bgetr(p, no_path, room, NULL));
	FAILS(BNOTPRES, Bgetr(p, absent_path, room, NULL));
	FAILS(BNOSPACE, Bgetr(p, name_path, room, &none));
	FAILS(BEINVAL, Bgetr(p, NULL, room, NULL));
	FAILS(BTYPERR, CBgetr(p, name_path, room, NULL, NO_TYPE));
	FAILS(BEBADOP, CBgetr(p, sub_path, room, NULL, BFLD_LONG));
	FAILS_WITHOUT_MEMORY(BMALLOC, CBgetallocr(p, name_path, BFLD_STRING,
						  NULL));
}

static void walks(UBFH *p)
{
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	BFLDLEN none = 1;

	FAILS(BALIGNERR, Bnext(shifted(p), &id, &occ, NULL, NULL));
	FAILS(BNOTFLD, Bnext(NULL, &id, &occ, NULL, NULL));
	FAILS(BEINVAL, Bnext(p, NULL, &occ, NULL, NULL));
	FAILS(BNOSPACE, Bnext(p, &id, &occ, room, &none));
	FAILS(BALIGNERR, Boccur(shifted(p), F_NAME));
	FAILS(BNOTFLD, Bnum(NULL));
	FAILS(BBADFLD, Blen(p, BBADFLDID, 0));
	FAILS(BNOTPRES, Blen(p, F_NAME, 9));
	FAILS(BEINVAL, Blen(p, F_NAME, -2));
}

int main(void)
{
	UBFH *p = record(), *sub = record();

	EXPECT(Bchg(p, F_SUB, 0, (char *)sub, 0) == 0);
	additions(p);
	changes(p);
	searches(p);
	values(p);
	paths(p);
	walks(p);
	bulk(record());
	deletions(p);
	return wrong;
}
