/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffers.c - errors of the functions for whole UBF buffers and for types
 */
#include "tests/man/errors/errors.h"

#define NO_TYPE 77
#define X ((char *)"x")

static void memory(UBFH *p)
{
	FAILS(BALIGNERR, Bfree(shifted(p)));
	FAILS(BNOTFLD, Bfree(NULL));
	FAILS(BEINVAL, Balloc(-1, 10));
	FAILS(BNOSPACE, Binit(p, 3));
	FAILS(BEINVAL, Brealloc(p, 1, 1));
	FAILS_WITHOUT_MEMORY(BMALLOC, Balloc(10, 100));
}

static void sizes(UBFH *p)
{
	FAILS(BALIGNERR, Bsizeof(shifted(p)));
	FAILS(BNOTFLD, Bused(NULL));
	FAILS(BEINVAL, Bneeded(-1, 10));
	FAILS(BALIGNERR, Bindex(shifted(p), 0));
	FAILS(BNOTFLD, Bunindex(NULL));
}

static void pairs(UBFH *p)
{
	FAILS(BALIGNERR, Bcmp(shifted(p), p));
	FAILS(BNOTFLD, Bsubset(p, (UBFH *)calloc(1, 100)));
	FAILS(BEINVAL, Bcmp(p, NULL));
	FAILS(BALIGNERR, Bcpy(shifted(p), p));
	FAILS(BNOTFLD, Bcpy(NULL, p));
	FAILS(BNOSPACE, Bcpy(tiny(), p));
	FAILS(BALIGNERR, Bconcat(shifted(p), p));
	FAILS(BNOTFLD, Bupdate(NULL, p));
	FAILS(BNOSPACE, Bconcat(tiny(), p));
}

static void projections(UBFH *p)
{
	BFLDID list[] = { F_NAME, BBADFLDID };
	BFLDID wrong_list[] = { -1, BBADFLDID };

	FAILS(BALIGNERR, Bproj(shifted(p), list));
	FAILS(BNOTFLD, Bproj(NULL, list));
	FAILS(BBADFLD, Bproj(p, wrong_list));
	set(p, F_NAME, long_text());
	FAILS(BNOSPACE, Bprojcpy(tiny(), p, list));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bproj(p, list));
}

static void types(void)
{
	FAILS(BTYPERR, Bmkfldid(NO_TYPE, 1));
	FAILS(BBADFLD, Bmkfldid(BFLD_LONG, 0));
	FAILS(BTYPERR, Btypcvt(NULL, NO_TYPE, X, BFLD_STRING, 0));
	FAILS(BEINVAL, Btypcvt(NULL, BFLD_LONG, NULL, BFLD_STRING, 0));
	FAILS(BEBADOP, Btypcvt(NULL, BFLD_UBF, X, BFLD_STRING, 0));
	FAILS_WITHOUT_MEMORY(BMALLOC, Btypcvt(NULL, BFLD_STRING, X,
					      BFLD_STRING, 0));
}

int main(void)
{
	UBFH *p = record();

	memory(p);
	sizes(p);
	pairs(p);
	projections(p);
	types();
	return wrong;
}
