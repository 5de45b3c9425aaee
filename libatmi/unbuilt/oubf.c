/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oubf.c - the object API of UBF, which this build lacks
 */
#include <oubf.h>

#include "libatmi/unbuilt/unbuilt.h"

UNBUILT(char *, NULL, OBstrerror, TPCONTEXT_T *p_ctxt, int err)
UNBUILT(char *, NULL, OBecodestr, TPCONTEXT_T *p_ctxt, int err)
UNBUILT_VOID(OB_error, TPCONTEXT_T *p_ctxt, char *str)
UNBUILT(UBFH *, NULL, OBalloc, TPCONTEXT_T *p_ctxt, BFLDOCC f, BFLDLEN v)
UNBUILT(UBFH *, NULL, OBrealloc, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC f,
	BFLDLEN v)
UNBUILT(int, -1, OBfree, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(int, -1, OBinit, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDLEN len)
UNBUILT(int, -1, OBcpy, TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src)
UNBUILT(long, -1, OBsizeof, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(long, -1, OBused, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(long, -1, OBunused, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(long, -1, OBneeded, TPCONTEXT_T *p_ctxt, BFLDOCC nrfields,
	BFLDLEN totsize)
UNBUILT(int, -1, OBisubf, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(int, -1, OBindex, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC occ)
UNBUILT(BFLDOCC, -1, OBunindex, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(long, -1, OBidxused, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(int, -1, OBrstrindex, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC occ)
UNBUILT(int, -1, OB16to32, TPCONTEXT_T *p_ctxt, UBFH *dst, UBFH *src)
UNBUILT(int, -1, OB32to16, TPCONTEXT_T *p_ctxt, UBFH *dst, UBFH *src)
UNBUILT(int, -1, OBadd, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len)
UNBUILT(int, -1, OBaddfast, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len, Bfld_loc_info_t *next_fld)
UNBUILT(int, -1, OCBadd, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len, int usrtype)
UNBUILT(int, -1, OCBaddfast, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len, int usrtype, Bfld_loc_info_t *next_fld)
UNBUILT(int, -1, OBadds, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf)
UNBUILT(int, -1, OBchg, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf, BFLDLEN len)
UNBUILT(int, -1, OCBchg, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf, BFLDLEN len, int usrtype)
UNBUILT(int, -1, OBchgs, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf)
UNBUILT(int, -1, OBdel, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ)
UNBUILT(int, -1, OBdelall, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid)
UNBUILT(int, -1, OBdelete, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldlist)
UNBUILT(int, -1, Ondrx_Fadd, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len)
UNBUILT(int, -1, Ondrx_Fchg, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf, BFLDLEN len)
UNBUILT(int, -1, OBget, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf, BFLDLEN *buflen)
UNBUILT(int, -1, OCBget, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf, BFLDLEN *buflen, int usrtype)
UNBUILT(int, -1, OBgets, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, char *buf)
UNBUILT(char *, NULL, OBgetsa, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, BFLDLEN *extralen)
UNBUILT(char *, NULL, OBgetalloc, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID bfldid, BFLDOCC occ, BFLDLEN *extralen)
UNBUILT(char *, NULL, OCBgetalloc, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID bfldid, BFLDOCC occ, int usrtype, BFLDLEN *extralen)
UNBUILT(int, -1, OBgetlast, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC *occ, char *buf, BFLDLEN *buflen)
UNBUILT(char *, NULL, OBfind, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, BFLDLEN *p_len)
UNBUILT(char *, NULL, OCBfind, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ, BFLDLEN *p_len, int usrtype)
UNBUILT(char *, NULL, OBfinds, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ)
UNBUILT(char *, NULL, OBfindlast, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID bfldid, BFLDOCC *occ, BFLDLEN *p_len)
UNBUILT(BFLDOCC, -1, OBfindocc, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len)
UNBUILT(BFLDOCC, -1, OCBfindocc, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	char *buf, BFLDLEN len, int usrtype)
UNBUILT(int, -1, OBpres, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ)
UNBUILT(BFLDOCC, -1, OBoccur, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid)
UNBUILT(BFLDOCC, -1, OBnum, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(int, -1, OBlen, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
	BFLDOCC occ)
UNBUILT(int, -1, OBnext, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *bfldid,
	BFLDOCC *occ, char *buf, BFLDLEN *buflen)
UNBUILT(int, -1, OBnext2, TPCONTEXT_T *p_ctxt, Bnext_state_t *bnext_state,
	UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ, char *buf, BFLDLEN *buflen,
	char **d_ptr)
UNBUILT(int, -2, OBcmp, TPCONTEXT_T *p_ctxt, UBFH *p_ubf1, UBFH *p_ubf2)
UNBUILT(int, -1, OBsubset, TPCONTEXT_T *p_ctxt, UBFH *haystack, UBFH *needle)
UNBUILT(int, -1, OBproj, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldlist)
UNBUILT(int, -1, OBprojcpy, TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src,
	BFLDID *fldlist)
UNBUILT(int, -1, OBupdate, TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src)
UNBUILT(int, -1, OBconcat, TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src)
UNBUILT(int, -1, OBjoin, TPCONTEXT_T *p_ctxt, UBFH *dest, UBFH *src)
UNBUILT(int, -1, OBojoin, TPCONTEXT_T *p_ctxt, UBFH *dest, UBFH *src)
UNBUILT(BFLDID, BBADFLDID, OBfldid, TPCONTEXT_T *p_ctxt, char *fldnm)
UNBUILT(char *, NULL, OBfname, TPCONTEXT_T *p_ctxt, BFLDID bfldid)
UNBUILT(BFLDID, BBADFLDID, OBmkfldid, TPCONTEXT_T *p_ctxt, int fldtype,
	BFLDID bfldid)
UNBUILT(int, -1, OBfldtype, TPCONTEXT_T *p_ctxt, BFLDID bfldid)
UNBUILT(BFLDOCC, -1, OBfldno, TPCONTEXT_T *p_ctxt, BFLDID bfldid)
UNBUILT(char *, NULL, OBtype, TPCONTEXT_T *p_ctxt, BFLDID bfldid)
UNBUILT(char *, NULL, OBtypcvt, TPCONTEXT_T *p_ctxt, BFLDLEN *to_len,
	int to_type, char *from_buf, int from_type, BFLDLEN from_len)
UNBUILT(int, -1, OBprint, TPCONTEXT_T *p_ctxt, UBFH *p_ub)
UNBUILT(int, -1, OBfprint, TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *outf)
UNBUILT(int, -1, OBfprintcb, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	int (*p_writef)(char **, long, void *, int *, FILE *, int),
	void *dataptr1)
UNBUILT(int, -1, OBextread, TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *inf)
UNBUILT(int, -1, OBextreadcb, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	void *dataptr1)
UNBUILT(int, -1, OBwrite, TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *outf)
UNBUILT(int, -1, OBread, TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *inf)
UNBUILT(int, -1, OBwritecb, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	long (*p_writef)(char *buffer, long bufsz, void *dataptr1),
	void *dataptr1)
UNBUILT(int, -1, OBreadcb, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	void *dataptr1)
UNBUILT(char *, NULL, OBboolco, TPCONTEXT_T *p_ctxt, char *expr)
UNBUILT(int, -1, OBboolev, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *tree)
UNBUILT(double, -1, OBfloatev, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *tree)
UNBUILT_VOID(OBboolpr, TPCONTEXT_T *p_ctxt, char *tree, FILE *outf)
UNBUILT_VOID(OBboolprcb, TPCONTEXT_T *p_ctxt, char *tree,
	int (*p_writef)(char *buffer, long datalen, void *dataptr1),
	void *dataptr1)
UNBUILT_VOID(OBtreefree, TPCONTEXT_T *p_ctxt, char *tree)
UNBUILT(int, -1, OBboolsetcbf, TPCONTEXT_T *p_ctxt, char *funcname,
	long (*functionPtr)(UBFH *p_ubf, char *funcname))
UNBUILT(int, -1, OBboolsetcbf2, TPCONTEXT_T *p_ctxt, char *funcname,
	long (*functionPtr)(UBFH *p_ubf, char *funcname, char *arg1))
UNBUILT(int, -1, OBgetr, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
	char *buf, BFLDLEN *buflen)
UNBUILT(int, -1, OBgetrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buf,
	BFLDLEN *buflen, ...)
UNBUILT(int, -1, OCBgetr, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
	char *buf, BFLDLEN *buflen, int usrtype)
UNBUILT(int, -1, OCBgetrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buf,
	BFLDLEN *buflen, int usrtype, ...)
UNBUILT(char *, NULL, OCBgetallocr, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID *fldidocc, int usrtype, BFLDLEN *extralen)
UNBUILT(char *, NULL, OCBgetallocrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	int usrtype, BFLDLEN *extralen, ...)
UNBUILT(char *, NULL, OBfindr, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID *fldidocc, BFLDLEN *p_len)
UNBUILT(char *, NULL, OBfindrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDLEN *p_len,
	...)
UNBUILT(char *, NULL, OCBfindr, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID *fldidocc, BFLDLEN *p_len, int usrtype)
UNBUILT(char *, NULL, OCBfindrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDLEN *p_len, int usrtype, ...)
UNBUILT(int, -1, OBpresr, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc)
UNBUILT(int, -1, OBpresrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, ...)
UNBUILT(int, -1, OCBvgetr, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
	char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen, int usrtype,
	long flags)
UNBUILT(int, -1, OCBvgetrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cname,
	BFLDOCC occ, char *buf, BFLDLEN *buflen, int usrtype, long flags, ...)
UNBUILT(char *, NULL, OCBvgetallocr, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	BFLDID *fldidocc, char *cname, BFLDOCC occ, int usrtype, long flags,
	BFLDLEN *extralen)
UNBUILT(char *, NULL, OCBvgetallocrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub,
	char *cname, BFLDOCC occ, int usrtype, long flags, BFLDLEN *extralen,
	...)
UNBUILT(int, -1, OBvnullr, TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
	char *cname, BFLDOCC occ)
UNBUILT(int, -1, OBvnullrv, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cname,
	BFLDOCC occ, ...)
UNBUILT(int, -1, OBflddbload, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, OBflddbunload, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, OBflddbunlink, TPCONTEXT_T *p_ctxt)
UNBUILT(BFLDID, BBADFLDID, OBflddbid, TPCONTEXT_T *p_ctxt, char *fldname)
UNBUILT(char *, NULL, OBflddbname, TPCONTEXT_T *p_ctxt, BFLDID bfldid)
UNBUILT(int, -1, OBflddbget, TPCONTEXT_T *p_ctxt, EDB_val *data,
	BFLDID *p_bfldid, BFLDID *p_bfldno, short *p_bfldtype, char *fldname,
	int fldname_bufsz)
UNBUILT(int, -1, OBflddbadd, TPCONTEXT_T *p_ctxt, EDB_txn *txn, short fldtype,
	BFLDID bfldno, char *fldname)
UNBUILT(int, -1, OBflddbdel, TPCONTEXT_T *p_ctxt, EDB_txn *txn, BFLDID bfldid)
UNBUILT(int, -1, OBflddbdrop, TPCONTEXT_T *p_ctxt, EDB_txn *txn)
UNBUILT(EDB_env *, NULL, OBfldddbgetenv, TPCONTEXT_T *p_ctxt,
	EDB_dbi **dbi_id, EDB_dbi **dbi_nm)
UNBUILT(int, -1, OBvnull, TPCONTEXT_T *p_ctxt, char *cstruct, char *cname,
	BFLDOCC occ, char *view)
UNBUILT(int, -1, OBvselinit, TPCONTEXT_T *p_ctxt, char *cstruct, char *cname,
	char *view)
UNBUILT(int, -1, OBvsinit, TPCONTEXT_T *p_ctxt, char *cstruct, char *view)
UNBUILT_VOID(OBvrefresh, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, OBvopt, TPCONTEXT_T *p_ctxt, char *cname, int option,
	char *view)
UNBUILT(int, -1, OBvftos, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cstruct,
	char *view)
UNBUILT(int, -1, OBvstof, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cstruct,
	int mode, char *view)
UNBUILT(int, -1, OCBvget, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen, int usrtype,
	long flags)
UNBUILT(char *, NULL, OCBvgetalloc, TPCONTEXT_T *p_ctxt, char *cstruct,
	char *view, char *cname, BFLDOCC occ, int usrtype, long flags,
	BFLDLEN *extralen)
UNBUILT(int, -1, OCBvchg, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	char *cname, BFLDOCC occ, char *buf, BFLDLEN len, int usrtype)
UNBUILT(long, -1, OBvsizeof, TPCONTEXT_T *p_ctxt, char *view)
UNBUILT(long, -1, OBvcpy, TPCONTEXT_T *p_ctxt, char *cstruct_dst,
	char *cstruct_src, char *view)
UNBUILT(BFLDOCC, -1, OBvoccur, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	char *cname, BFLDOCC *maxocc, BFLDOCC *realocc, long *dim_size,
	int *fldtype)
UNBUILT(int, -1, OBvsetoccur, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	char *cname, BFLDOCC occ)
UNBUILT(int, -1, OBvnext, TPCONTEXT_T *p_ctxt, Bvnext_state_t *state,
	char *view, char *cname, int *fldtype, BFLDOCC *maxocc, long *dim_size)
UNBUILT(int, -2, OBvcmp, TPCONTEXT_T *p_ctxt, char *cstruct1, char *view1,
	char *cstruct2, char *view2)
UNBUILT(int, -1, OBvprint, TPCONTEXT_T *p_ctxt, char *cstruct, char *view)
UNBUILT(int, -1, OBvfprint, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	FILE *outf)
UNBUILT(int, -1, OBvfprintcb, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	int (*p_writef)(char **, long, void *, int *, FILE *, int),
	void *dataptr1)
UNBUILT(int, -1, OBvextread, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	FILE *inf)
UNBUILT(int, -1, OBvextreadcb, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	void *dataptr1)
