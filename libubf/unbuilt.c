/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unbuilt.c - functions that are declared and do nothing yet
 *
 * Programs that name them link; called, each fails with BERFU1.
 */
#include "libubf/error.h"

static int unbuilt(const char *name)
{
	return ow_ubf_fail(BERFU1, "%s: not built yet", name);
}

char *Bboolco(char *expr)
{
	return ow_ubf_fail_null(BERFU1, "Bboolco: not built yet");
}

int Bboolev(UBFH *p_ub, char *tree)
{
	return unbuilt("Bboolev");
}

double Bfloatev(UBFH *p_ub, char *tree)
{
	return unbuilt("Bfloatev");
}

void Bboolpr(char *tree, FILE *outf)
{
	(void)unbuilt("Bboolpr");
}

void Bboolprcb(char *tree,
	       int (*p_writef)(char *buffer, long datalen, void *dataptr1),
	       void *dataptr1)
{
	(void)unbuilt("Bboolprcb");
}

void Btreefree(char *tree)
{
}

int Bboolsetcbf(char *funcname, long (*functionPtr)(UBFH *p_ubf,
						     char *funcname))
{
	return unbuilt("Bboolsetcbf");
}

int Bboolsetcbf2(char *funcname,
		 long (*functionPtr)(UBFH *p_ubf, char *funcname,
				     char *arg1))
{
	return unbuilt("Bboolsetcbf2");
}

int CBvgetr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ, char *buf,
	    BFLDLEN *buflen, int usrtype, long flags)
{
	return unbuilt("CBvgetr");
}

int CBvgetrv(UBFH *p_ub, char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen,
	     int usrtype, long flags, ...)
{
	return unbuilt("CBvgetrv");
}

char *CBvgetallocr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ,
		   int usrtype, long flags, BFLDLEN *extralen)
{
	return ow_ubf_fail_null(BERFU1, "CBvgetallocr: not built yet");
}

char *CBvgetallocrv(UBFH *p_ub, char *cname, BFLDOCC occ, int usrtype,
		    long flags, BFLDLEN *extralen, ...)
{
	return ow_ubf_fail_null(BERFU1, "CBvgetallocrv: not built yet");
}

int Bvnullr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ)
{
	return unbuilt("Bvnullr");
}

int Bvnullrv(UBFH *p_ub, char *cname, BFLDOCC occ, ...)
{
	return unbuilt("Bvnullrv");
}

int Bflddbload(void)
{
	return unbuilt("Bflddbload");
}

int Bflddbunload(void)
{
	return unbuilt("Bflddbunload");
}

int Bflddbunlink(void)
{
	return unbuilt("Bflddbunlink");
}

BFLDID Bflddbid(char *fldname)
{
	(void)unbuilt("Bflddbid");
	return BBADFLDID;
}

char *Bflddbname(BFLDID bfldid)
{
	return ow_ubf_fail_null(BERFU1, "Bflddbname: not built yet");
}

int Bflddbget(EDB_val *data, BFLDID *p_bfldid, BFLDID *p_bfldno,
	      short *p_bfldtype, char *fldname, int fldname_bufsz)
{
	return unbuilt("Bflddbget");
}

int Bflddbadd(EDB_txn *txn, short fldtype, BFLDID bfldno, char *fldname)
{
	return unbuilt("Bflddbadd");
}

int Bflddbdel(EDB_txn *txn, BFLDID bfldid)
{
	return unbuilt("Bflddbdel");
}

int Bflddbdrop(EDB_txn *txn)
{
	return unbuilt("Bflddbdrop");
}

int Bfldddbgetenv(EDB_env **dbenv, EDB_dbi **dbi_id, EDB_dbi **dbi_nm)
{
	return unbuilt("Bfldddbgetenv");
}

int Bvnull(char *cstruct, char *cname, BFLDOCC occ, char *view)
{
	return unbuilt("Bvnull");
}

int Bvselinit(char *cstruct, char *cname, char *view)
{
	return unbuilt("Bvselinit");
}

int Bvsinit(char *cstruct, char *view)
{
	return unbuilt("Bvsinit");
}

void Bvrefresh(void)
{
}

int Bvopt(char *cname, int option, char *view)
{
	return unbuilt("Bvopt");
}

int Bvftos(UBFH *p_ub, char *cstruct, char *view)
{
	return unbuilt("Bvftos");
}

int Bvstof(UBFH *p_ub, char *cstruct, int mode, char *view)
{
	return unbuilt("Bvstof");
}

int CBvget(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN *buflen, int usrtype, long flags)
{
	return unbuilt("CBvget");
}

char *CBvgetalloc(char *cstruct, char *view, char *cname, BFLDOCC occ,
		  int usrtype, long flags, BFLDLEN *extralen)
{
	return ow_ubf_fail_null(BERFU1, "CBvgetalloc: not built yet");
}

int CBvchg(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN len, int usrtype)
{
	return unbuilt("CBvchg");
}

long Bvsizeof(char *view)
{
	return unbuilt("Bvsizeof");
}

long Bvcpy(char *cstruct_dst, char *cstruct_src, char *view)
{
	return unbuilt("Bvcpy");
}

BFLDOCC Bvoccur(char *cstruct, char *view, char *cname, BFLDOCC *maxocc,
		BFLDOCC *realocc, long *dim_size, int *fldtype)
{
	return unbuilt("Bvoccur");
}

int Bvsetoccur(char *cstruct, char *view, char *cname, BFLDOCC occ)
{
	return unbuilt("Bvsetoccur");
}

int Bvnext(Bvnext_state_t *state, char *view, char *cname, int *fldtype,
	   BFLDOCC *maxocc, long *dim_size)
{
	return unbuilt("Bvnext");
}

int Bvcmp(char *cstruct1, char *view1, char *cstruct2, char *view2)
{
	(void)unbuilt("Bvcmp");
	return -2;
}

int Bvprint(char *cstruct, char *view)
{
	return unbuilt("Bvprint");
}

int Bvfprint(char *cstruct, char *view, FILE *outf)
{
	return unbuilt("Bvfprint");
}

int Bvfprintcb(char *cstruct, char *view,
	       int (*p_writef)(char **buffer, long datalen, void *dataptr1,
			       int *do_write, FILE *outf, int fid),
	       void *dataptr1)
{
	return unbuilt("Bvfprintcb");
}

int Bvextread(char *cstruct, char *view, FILE *inf)
{
	return unbuilt("Bvextread");
}

int Bvextreadcb(char *cstruct, char *view,
		long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
		void *dataptr1)
{
	return unbuilt("Bvextreadcb");
}
