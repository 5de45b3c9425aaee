/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_null.c - NULL for every pointer parameter but buffers
 *
 * One row per function and parameter of ubf.h (tests/arch/refused.py finds
 * missing rows): the expected Berror if that parameter is NULL and all others
 * are right. test_refuse.c tests buffers.
 */
#include "tests/unit/libubf/view_test.h"

#define OK BMINVAL	/* NULL is allowed */
#define KEPT (-5)	/* NULL is allowed, Berror is unchanged */

static UBFH *good;	/* with one field of every kind */
static struct SAMPLE *sample;
static char text[4096];
static char *tree, *vtree;
static BFLDLEN len;
static BFLDOCC occ;
static BFLDID id;
static Bnext_state_t state;
static Bvnext_state_t vstate;
static FILE *none;	/* an empty file, for reading and writing */

static int fails_print(char **buffer, long n, void *arg, int *do_write,
		       FILE *f, int fid)
{
	return 0;
}

static long end(char *buffer, long n, void *arg)
{
	return 0;
}

static long all(char *buffer, long n, void *arg)
{
	return n;
}

static int take(char *buffer, long n, void *arg)
{
	return 0;
}

static long one(UBFH *p, char *name)
{
	return 1;
}

static long one_arg(UBFH *p, char *name, char *arg)
{
	return 1;
}

/* Free the result of an ...alloc function. */
static int freed(char *p)
{
	free(p);
	return 0;
}

#define CN(name) ((char *)(name))
#define V CN("SAMPLE")
#define CS ((char *)sample)
#define STR BFLD_STRING
#define PATH ((BFLDID[]){ F_STRING, 0, BBADFLDOCC })
#define VPATH ((BFLDID[]){ F_VIEW, 0, BBADFLDOCC })
#define LOC (&(Bfld_loc_info_t){ 0 })
#define NOLIST ((BFLDID *)NULL)

#define NULLS_1(X)							       \
	X(B_error, str, KEPT,						       \
	  (B_error(NULL), 0))						       \
	X(Badd, buf, BEINVAL, Badd(good, F_STRING, NULL, 0))		       \
	X(Baddfast, buf, BEINVAL, Baddfast(good, F_STRING, NULL, 0, LOC))      \
	X(Baddfast, next_fld, BEINVAL,					       \
	  Baddfast(good, F_STRING, text, 0, NULL))			       \
	X(CBadd, buf, BEINVAL, CBadd(good, F_LONG, NULL, 0, STR))	       \
	X(CBaddfast, buf, BEINVAL,					       \
	  CBaddfast(good, F_LONG, NULL, 0, STR, LOC))			       \
	X(CBaddfast, next_fld, BEINVAL,					       \
	  CBaddfast(good, F_LONG, text, 0, STR, NULL))			       \
	X(Badds, buf, BEINVAL, Badds(good, F_LONG, NULL))		       \
	X(Bchg, buf, OK, Bchg(good, F_LONG2, 0, NULL, 0))		       \
	X(CBchg, buf, OK, CBchg(good, F_LONG2, 1, NULL, 0, STR))	       \
	X(Bchgs, buf, OK, Bchgs(good, F_LONG2, 2, NULL))		       \
	X(Bdelete, fldlist, BEINVAL, Bdelete(good, NOLIST))		       \
	X(ndrx_Fadd, buf, OK, ndrx_Fadd(good, F_PTR, NULL, 0))		       \
	X(ndrx_Fchg, buf, OK, ndrx_Fchg(good, F_PTR, 0, NULL, 0))	       \
	X(Bget, buf, BEINVAL, Bget(good, F_STRING, 0, NULL, &len))	       \
	X(Bget, buflen, OK, Bget(good, F_STRING, 0, text, NULL))	       \
	X(CBget, buf, BEINVAL, CBget(good, F_LONG, 0, NULL, &len, STR))       \
	X(CBget, buflen, OK, CBget(good, F_LONG, 0, text, NULL, STR))	       \
	X(Bgets, buf, BEINVAL, Bgets(good, F_LONG, 0, NULL))		       \
	X(Bgetsa, extralen, OK, freed(Bgetsa(good, F_LONG, 0, NULL)))	       \
	X(Bgetalloc, extralen, OK, freed(Bgetalloc(good, F_LONG, 0, NULL)))    \
	X(CBgetalloc, extralen, OK,					       \
	  freed(CBgetalloc(good, F_LONG, 0, STR, NULL)))		       \
	X(Bgetlast, occ, OK, Bgetlast(good, F_STRING, NULL, text, &len))       \
	X(Bgetlast, buf, BEINVAL, Bgetlast(good, F_STRING, &occ, NULL, &len))  \
	X(Bgetlast, buflen, OK, Bgetlast(good, F_STRING, &occ, text, NULL))    \
	X(Bfind, p_len, OK, Bfind(good, F_LONG, 0, NULL) == NULL)	       \
	X(CBfind, p_len, OK, CBfind(good, F_LONG, 0, NULL, STR) == NULL)       \
	X(Bfindlast, occ, OK, Bfindlast(good, F_LONG, NULL, &len) == NULL)     \
	X(Bfindlast, p_len, OK, Bfindlast(good, F_LONG, &occ, NULL) == NULL)   \
	X(Bfindocc, buf, BEINVAL, Bfindocc(good, F_STRING, NULL, 0))	       \
	X(CBfindocc, buf, BEINVAL, CBfindocc(good, F_LONG, NULL, 0, STR))      \
	X(Bnext, bfldid, BEINVAL, Bnext(good, NULL, &occ, text, &len))	       \
	X(Bnext, occ, BEINVAL, Bnext(good, &id, NULL, text, &len))	       \
	X(Bnext, buf, OK, Bnext(good, &id, &occ, NULL, &len))		       \
	X(Bnext, buflen, OK, Bnext(good, &id, &occ, text, NULL))	       \
	X(Bnext2, bnext_state, BEINVAL,					       \
	  Bnext2(NULL, good, &id, &occ, text, &len, NULL))		       \
	X(Bnext2, bfldid, BEINVAL,					       \
	  Bnext2(&state, good, NULL, &occ, text, &len, NULL))		       \
	X(Bnext2, occ, BEINVAL,						       \
	  Bnext2(&state, good, &id, NULL, text, &len, NULL))		       \
	X(Bnext2, buf, OK, Bnext2(&state, good, &id, &occ, NULL, &len, NULL))  \
	X(Bnext2, buflen, OK,						       \
	  Bnext2(&state, good, &id, &occ, text, NULL, NULL))		       \
	X(Bnext2, d_ptr, OK,						       \
	  Bnext2(&state, good, &id, &occ, text, &len, NULL))		       \
	X(Bmove, dest, BEINVAL, Bmove(NULL, good))			       \
	X(Bproj, fldlist, OK, Bproj(good, NOLIST))			       \
	X(Bprojcpy, fldlist, OK, Bprojcpy(good, good, NOLIST))		       \
	X(Bfldid, fldnm, BEINVAL, Bfldid(NULL))				       \
	X(Btypcvt, to_len, OK,						       \
	  freed(Btypcvt(NULL, BFLD_LONG, CN("5"), STR, 0)))		       \
	X(Btypcvt, from_buf, BEINVAL,					       \
	  Btypcvt(&len, BFLD_LONG, NULL, STR, 0) == NULL)

#define NULLS_2(X)							       \
	X(Bfprint, outf, BEINVAL, Bfprint(good, NULL))			       \
	X(Bfprintcb, p_writef, BEINVAL, Bfprintcb(good, NULL, NULL))	       \
	X(Bfprintcb, dataptr1, OK, Bfprintcb(good, fails_print, NULL))	       \
	X(Bextread, inf, BEINVAL, Bextread(good, NULL))			       \
	X(Bextreadcb, p_readf, BEINVAL, Bextreadcb(good, NULL, NULL))	       \
	X(Bextreadcb, dataptr1, OK, Bextreadcb(good, end, NULL))	       \
	X(Bwrite, outf, BEINVAL, Bwrite(good, NULL))			       \
	X(Bread, inf, BEINVAL, Bread(good, NULL))			       \
	X(Bwritecb, p_writef, BEINVAL, Bwritecb(good, NULL, NULL))	       \
	X(Bwritecb, dataptr1, OK, Bwritecb(good, all, NULL))		       \
	X(Breadcb, p_readf, BEINVAL, Breadcb(good, NULL, NULL))		       \
	X(Breadcb, dataptr1, BEUNIX, Breadcb(good, end, NULL))		       \
	X(Bboolco, expr, BEINVAL, Bboolco(NULL) == NULL)		       \
	X(Bboolcofml, expr, BEINVAL, Bboolcofml(NULL) == NULL)		       \
	X(Bboolev, tree, BEINVAL, Bboolev(good, NULL))			       \
	X(Bfloatev, tree, BEINVAL, Bfloatev(good, NULL) < 0)		       \
	X(Bboolpr, tree, BEINVAL, (Bboolpr(NULL, none), 0))		       \
	X(Bboolpr, outf, BEINVAL, (Bboolpr(tree, NULL), 0))		       \
	X(Bboolprcb, tree, BEINVAL, (Bboolprcb(NULL, take, NULL), 0))	       \
	X(Bboolprcb, p_writef, BEINVAL, (Bboolprcb(tree, NULL, NULL), 0))      \
	X(Bboolprcb, dataptr1, OK, (Bboolprcb(tree, take, NULL), 0))	       \
	X(Bvboolco, expr, BEINVAL, Bvboolco(NULL, V) == NULL)		       \
	X(Bvboolco, view, BEINVAL, Bvboolco(CN("1"), NULL) == NULL)	       \
	X(Bvboolev, cstruct, BEINVAL, Bvboolev(NULL, vtree, V))		       \
	X(Bvboolev, tree, BEINVAL, Bvboolev(CS, NULL, V))		       \
	X(Bvboolev, view, BEINVAL, Bvboolev(CS, vtree, NULL))		       \
	X(Bvfloatev, cstruct, BEINVAL, Bvfloatev(NULL, vtree, V) < 0)	       \
	X(Bvfloatev, tree, BEINVAL, Bvfloatev(CS, NULL, V) < 0)		       \
	X(Bvfloatev, view, BEINVAL, Bvfloatev(CS, vtree, NULL) < 0)	       \
	X(Bvboolpr, tree, BEINVAL, (Bvboolpr(NULL, none, V), 0))	       \
	X(Bvboolpr, outf, BEINVAL, (Bvboolpr(vtree, NULL, V), 0))	       \
	X(Bvboolpr, view, BEINVAL, (Bvboolpr(vtree, none, NULL), 0))	       \
	X(Btreefree, tree, OK, (Btreefree(NULL), 0))			       \
	X(Bboolsetcbf, funcname, BBADNAME, Bboolsetcbf(NULL, one))	       \
	X(Bboolsetcbf, functionPtr, OK, Bboolsetcbf(CN("f"), NULL))	       \
	X(Bboolsetcbf2, funcname, BBADNAME,Bboolsetcbf2(NULL, one_arg))        \
	X(Bboolsetcbf2, functionPtr, OK, Bboolsetcbf2(CN("f"), NULL))	       \
	X(Bgetr, fldidocc, BEINVAL, Bgetr(good, NULL, text, &len))	       \
	X(Bgetr, buf, BEINVAL, Bgetr(good, PATH, NULL, &len))		       \
	X(Bgetr, buflen, OK, Bgetr(good, PATH, text, NULL))		       \
	X(Bgetrv, buf, BEINVAL,						       \
	  Bgetrv(good, NULL, &len, F_STRING, 0, BBADFLDOCC))		       \
	X(Bgetrv, buflen, OK,						       \
	  Bgetrv(good, text, NULL, F_STRING, 0, BBADFLDOCC))		       \
	X(CBgetr, fldidocc, BEINVAL, CBgetr(good, NULL, text, &len, STR))      \
	X(CBgetr, buf, BEINVAL, CBgetr(good, PATH, NULL, &len, STR))	       \
	X(CBgetr, buflen, OK, CBgetr(good, PATH, text, NULL, STR))	       \
	X(CBgetrv, buf, BEINVAL,					       \
	  CBgetrv(good, NULL, &len, STR, F_STRING, 0, BBADFLDOCC))	       \
	X(CBgetrv, buflen, OK,						       \
	  CBgetrv(good, text, NULL, STR, F_STRING, 0, BBADFLDOCC))	       \
	X(CBgetallocr, fldidocc, BEINVAL,				       \
	  freed(CBgetallocr(good, NULL, STR, &len)))			       \
	X(CBgetallocr, extralen, OK,					       \
	  freed(CBgetallocr(good, PATH, STR, NULL)))			       \
	X(CBgetallocrv, extralen, OK,					       \
	  freed(CBgetallocrv(good, STR, NULL, F_STRING, 0, BBADFLDOCC)))       \
	X(Bfindr, fldidocc, BEINVAL, Bfindr(good, NULL, &len) == NULL)	       \
	X(Bfindr, p_len, OK, Bfindr(good, PATH, NULL) == NULL)		       \
	X(Bfindrv, p_len, OK,						       \
	  Bfindrv(good, NULL, F_STRING, 0, BBADFLDOCC) == NULL)		       \
	X(CBfindr, fldidocc, BEINVAL, CBfindr(good, NULL, &len, STR) == NULL)  \
	X(CBfindr, p_len, OK, CBfindr(good, PATH, NULL, STR) == NULL)	       \
	X(CBfindrv, p_len, OK,						       \
	  CBfindrv(good, NULL, STR, F_STRING, 0, BBADFLDOCC) == NULL)	       \
	X(Bpresr, fldidocc, BEINVAL, Bpresr(good, NULL))

#define NULLS_3(X)							       \
	X(CBvgetr, fldidocc, BEINVAL,					       \
	  CBvgetr(good, NULL, CN("one"), 0, text, &len, STR, 0))	       \
	X(CBvgetr, cname, BEINVAL,					       \
	  CBvgetr(good, VPATH, NULL, 0, text, &len, STR, 0))		       \
	X(CBvgetr, buf, BEINVAL,					       \
	  CBvgetr(good, VPATH, CN("one"), 0, NULL, &len, STR, 0))	       \
	X(CBvgetr, buflen, OK,						       \
	  CBvgetr(good, VPATH, CN("one"), 0, text, NULL, STR, 0))	       \
	X(CBvgetrv, cname, BEINVAL,					       \
	  CBvgetrv(good, NULL, 0, text, &len, STR, 0, F_VIEW, 0, BBADFLDOCC))  \
	X(CBvgetrv, buf, BEINVAL,					       \
	  CBvgetrv(good, CN("one"), 0, NULL, &len, STR, 0, F_VIEW, 0,	       \
		   BBADFLDOCC))						       \
	X(CBvgetrv, buflen, OK,						       \
	  CBvgetrv(good, CN("one"), 0, text, NULL, STR, 0, F_VIEW, 0,	       \
		   BBADFLDOCC))						       \
	X(CBvgetallocr, fldidocc, BEINVAL,				       \
	  freed(CBvgetallocr(good, NULL, CN("one"), 0, STR, 0, &len)))	       \
	X(CBvgetallocr, cname, BEINVAL,					       \
	  freed(CBvgetallocr(good, VPATH, NULL, 0, STR, 0, &len)))	       \
	X(CBvgetallocr, extralen, OK,					       \
	  freed(CBvgetallocr(good, VPATH, CN("one"), 0, STR, 0, NULL)))        \
	X(CBvgetallocrv, cname, BEINVAL,				       \
	  freed(CBvgetallocrv(good, NULL, 0, STR, 0, &len, F_VIEW, 0,	       \
			      BBADFLDOCC)))				       \
	X(CBvgetallocrv, extralen, OK,					       \
	  freed(CBvgetallocrv(good, CN("one"), 0, STR, 0, NULL, F_VIEW, 0,     \
			      BBADFLDOCC)))				       \
	X(Bvnullr, fldidocc, BEINVAL, Bvnullr(good, NULL, CN("one"), 0))       \
	X(Bvnullr, cname, BEINVAL, Bvnullr(good, VPATH, NULL, 0))	       \
	X(Bvnullrv, cname, BEINVAL,					       \
	  Bvnullrv(good, NULL, 0, F_VIEW, 0, BBADFLDOCC))		       \
	X(Bvnull, cstruct, BEINVAL, Bvnull(NULL, CN("one"), 0, V))	       \
	X(Bvnull, cname, BEINVAL, Bvnull(CS, NULL, 0, V))		       \
	X(Bvnull, view, BEINVAL, Bvnull(CS, CN("one"), 0, NULL))	       \
	X(Bvselinit, cstruct, BEINVAL, Bvselinit(NULL, CN("one"), V))	       \
	X(Bvselinit, cname, BEINVAL, Bvselinit(CS, NULL, V))		       \
	X(Bvselinit, view, BEINVAL, Bvselinit(CS, CN("one"), NULL))	       \
	X(Bvsinit, cstruct, BEINVAL, Bvsinit(NULL, V))			       \
	X(Bvsinit, view, BEINVAL, Bvsinit(CS, NULL))			       \
	X(Bvopt, cname, BEINVAL, Bvopt(NULL, B_BOTH, V))		       \
	X(Bvopt, view, BEINVAL, Bvopt(CN("one"), B_BOTH, NULL))	       \
	X(Bvftos, cstruct, BEINVAL, Bvftos(good, NULL, V))		       \
	X(Bvftos, view, BEINVAL, Bvftos(good, CS, NULL))		       \
	X(Bvstof, cstruct, BEINVAL, Bvstof(good, NULL, BUPDATE, V))	       \
	X(Bvstof, view, BEINVAL, Bvstof(good, CS, BUPDATE, NULL))

#define NULLS_4(X)							       \
	X(CBvget, cstruct, BEINVAL,					       \
	  CBvget(NULL, V, CN("one"), 0, text, &len, STR, 0))		       \
	X(CBvget, view, BEINVAL,					       \
	  CBvget(CS, NULL, CN("one"), 0, text, &len, STR, 0))		       \
	X(CBvget, cname, BEINVAL, CBvget(CS, V, NULL, 0, text, &len, STR, 0))  \
	X(CBvget, buf, BEINVAL,						       \
	  CBvget(CS, V, CN("one"), 0, NULL, &len, STR, 0))		       \
	X(CBvget, buflen, OK, CBvget(CS, V, CN("one"), 0, text, NULL, STR, 0)) \
	X(CBvgetalloc, cstruct, BEINVAL,				       \
	  freed(CBvgetalloc(NULL, V, CN("one"), 0, STR, 0, &len)))	       \
	X(CBvgetalloc, view, BEINVAL,					       \
	  freed(CBvgetalloc(CS, NULL, CN("one"), 0, STR, 0, &len)))	       \
	X(CBvgetalloc, cname, BEINVAL,					       \
	  freed(CBvgetalloc(CS, V, NULL, 0, STR, 0, &len)))		       \
	X(CBvgetalloc, extralen, OK,					       \
	  freed(CBvgetalloc(CS, V, CN("one"), 0, STR, 0, NULL)))	       \
	X(CBvchg, cstruct, BEINVAL,					       \
	  CBvchg(NULL, V, CN("one"), 0, CN("1"), 0, STR))		       \
	X(CBvchg, view, BEINVAL,					       \
	  CBvchg(CS, NULL, CN("one"), 0, CN("1"), 0, STR))		       \
	X(CBvchg, cname, BEINVAL, CBvchg(CS, V, NULL, 0, CN("1"), 0, STR))     \
	X(CBvchg, buf, BEINVAL, CBvchg(CS, V, CN("one"), 0, NULL, 0, STR))     \
	X(Bvsizeof, view, BEINVAL, (int)Bvsizeof(NULL))			       \
	X(Bvneeded, view, BEINVAL, (int)Bvneeded(NULL))			       \
	X(Bvcpy, cstruct_dst, BEINVAL, (int)Bvcpy(NULL, CS, V))	       \
	X(Bvcpy, cstruct_src, BEINVAL, (int)Bvcpy(CS, NULL, V))	       \
	X(Bvcpy, view, BEINVAL, (int)Bvcpy(CS, CS, NULL))		       \
	X(Bvoccur, cstruct, BEINVAL,					       \
	  Bvoccur(NULL, V, CN("one"), NULL, NULL, NULL, NULL))		       \
	X(Bvoccur, view, BEINVAL,					       \
	  Bvoccur(CS, NULL, CN("one"), NULL, NULL, NULL, NULL))	       \
	X(Bvoccur, cname, BEINVAL,					       \
	  Bvoccur(CS, V, NULL, NULL, NULL, NULL, NULL))			       \
	X(Bvoccur, maxocc, OK,						       \
	  Bvoccur(CS, V, CN("one"), NULL, &occ, &(long){ 0 }, &len))	       \
	X(Bvoccur, realocc, OK,						       \
	  Bvoccur(CS, V, CN("one"), &occ, NULL, &(long){ 0 }, &len))	       \
	X(Bvoccur, dim_size, OK,					       \
	  Bvoccur(CS, V, CN("one"), &occ, &occ, NULL, &len))		       \
	X(Bvoccur, fldtype, OK,						       \
	  Bvoccur(CS, V, CN("one"), &occ, &occ, &(long){ 0 }, NULL))	       \
	X(Bvsetoccur, cstruct, BEINVAL, Bvsetoccur(NULL, V, CN("six"), 1))     \
	X(Bvsetoccur, view, BEINVAL, Bvsetoccur(CS, NULL, CN("six"), 1))       \
	X(Bvsetoccur, cname, BEINVAL, Bvsetoccur(CS, V, NULL, 1))	       \
	X(Bvnext, state, BEINVAL, Bvnext(NULL, V, text, &len, &occ, NULL))     \
	X(Bvnext, view, BEINVAL,					       \
	  Bvnext(&(Bvnext_state_t){ 0 }, NULL, text, &len, &occ, NULL))	       \
	X(Bvnext, cname, BEINVAL, Bvnext(&vstate, V, NULL, &len, &occ, NULL))  \
	X(Bvnext, fldtype, OK,						       \
	  Bvnext(&vstate, V, text, NULL, &occ, &(long){ 0 }))		       \
	X(Bvnext, maxocc, OK,						       \
	  Bvnext(&vstate, V, text, &len, NULL, &(long){ 0 }))		       \
	X(Bvnext, dim_size, OK, Bvnext(&vstate, V, text, &len, &occ, NULL))    \
	X(Bvcmp, cstruct1, BEINVAL, Bvcmp(NULL, V, CS, V))		       \
	X(Bvcmp, view1, BEINVAL, Bvcmp(CS, NULL, CS, V))		       \
	X(Bvcmp, cstruct2, BEINVAL, Bvcmp(CS, V, NULL, V))		       \
	X(Bvcmp, view2, BEINVAL, Bvcmp(CS, V, CS, NULL))		       \
	X(Bvprint, cstruct, BEINVAL, Bvprint(NULL, V))			       \
	X(Bvprint, view, BEINVAL, Bvprint(CS, NULL))			       \
	X(Bvfprint, cstruct, BEINVAL, Bvfprint(NULL, V, none))		       \
	X(Bvfprint, view, BEINVAL, Bvfprint(CS, NULL, none))		       \
	X(Bvfprint, outf, BEINVAL, Bvfprint(CS, V, NULL))		       \
	X(Bvfprintcb, cstruct, BEINVAL,					       \
	  Bvfprintcb(NULL, V, fails_print, NULL))			       \
	X(Bvfprintcb, view, BEINVAL, Bvfprintcb(CS, NULL, fails_print, NULL))  \
	X(Bvfprintcb, p_writef, BEINVAL, Bvfprintcb(CS, V, NULL, NULL))        \
	X(Bvfprintcb, dataptr1, OK, Bvfprintcb(CS, V, fails_print, NULL))      \
	X(Bvextread, cstruct, BEINVAL, Bvextread(NULL, V, none))	       \
	X(Bvextread, view, BEINVAL, Bvextread(CS, NULL, none))		       \
	X(Bvextread, inf, BEINVAL, Bvextread(CS, V, NULL))		       \
	X(Bvextreadcb, cstruct, BEINVAL, Bvextreadcb(NULL, V, end, NULL))      \
	X(Bvextreadcb, view, BEINVAL, Bvextreadcb(CS, NULL, end, NULL))        \
	X(Bvextreadcb, p_readf, BEINVAL, Bvextreadcb(CS, V, NULL, NULL))       \
	X(Bvextreadcb, dataptr1, OK, Bvextreadcb(CS, V, end, NULL))

#define NULLS(X) NULLS_1(X) NULLS_2(X) NULLS_3(X) NULLS_4(X)

#define CALL(fn, param, want, ...)					       \
	static void null_##fn##_##param(void)				       \
	{								       \
		(void)(__VA_ARGS__);					       \
	}
NULLS(CALL)

#define ROW(fn, param, want, ...)					       \
	{ #fn " with NULL as " #param, null_##fn##_##param, want },

static const struct row {
	const char *what;
	void (*call)(void);
	int want;
} rows[] = { NULLS(ROW) };

static int fill(UBFH *p)
{
	BVIEWFLD f = { 0, "SAMPLE", CS };
	void *pointer = &f;
	int r = 0;

	r |= Binit(p, 8000);
	r |= Badds(p, F_STRING, CN("a value")) | Badds(p, F_LONG, CN("7"));
	r |= Badds(p, F_LONG2, CN("1")) | Badds(p, F_LONG2, CN("2"));
	r |= Badds(p, F_LONG2, CN("3")) | Badd(p, F_VIEW, (char *)&f, 0);
	return r | Badd(p, F_PTR, (char *)&pointer, 0);
}

static void null_is_refused_or_allowed(void **state_)
{
	size_t i;
	int failed = 0;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(fill(good), 0);
		id = BFIRSTFLDID;
		occ = 0;
		len = (BFLDLEN)sizeof(text);
		strcpy(text, "text");
		*ndrx_Bget_Ferror_addr() = KEPT;
		rows[i].call();
		if (Berror == rows[i].want)
			continue;
		print_error("%s: %s\n", rows[i].what, Bstrerror(Berror));
		failed++;
	}
	assert_int_equal(failed, 0);
}

static int setup(void **state_)
{
	none = tmpfile();
	if (view_setup(state_) < 0 || none == NULL)
		return -1;
	good = Balloc(20, 8000);
	sample = view_sample();
	tree = Bboolco(CN("1"));
	vtree = Bvboolco(CN("1"), V);
	return tree == NULL || vtree == NULL ? -1 : 0;
}

static int teardown(void **state_)
{
	Btreefree(tree);
	Btreefree(vtree);
	free(sample);
	Bfree(good);
	fclose(none);
	return view_teardown(state_);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_is_refused_or_allowed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
