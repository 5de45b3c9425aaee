/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oubf.h - the calls of ubf.h with an explicit context
 *
 * For language bindings. Each function does what the one of the same name
 * without the O does, in context *p_ctxt instead of the thread's own, with the
 * same results and errors. *p_ctxt TPNULLCONTEXT: in a new context, whose
 * handle is stored there. TPEINVAL (p_ctxt is NULL) TPENOENT (no such context)
 * TPEPROTO (another thread has it) TPELIMIT, TPEOS (no new one); Berror is
 * BEINVAL then, Nerror NEINVAL. (ours)
 */
#ifndef OUBF_H
#define OUBF_H

#include <atmi.h>
#include <tpbind.h>
#include <ubf.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The error of a context; of a context that was refused: of the thread. */
extern int *Ondrx_Bget_Ferror_addr(TPCONTEXT_T *p_ctxt);
#define OBerror(p_ctxt) (*Ondrx_Bget_Ferror_addr(p_ctxt))

/* ubf.h */
extern char *OBstrerror(TPCONTEXT_T *p_ctxt, int err);
extern char *OBecodestr(TPCONTEXT_T *p_ctxt, int err);
extern void OB_error(TPCONTEXT_T *p_ctxt, char *str);
extern UBFH *OBalloc(TPCONTEXT_T *p_ctxt, BFLDOCC f, BFLDLEN v);
extern UBFH *OBrealloc(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC f, BFLDLEN v);
extern int OBfree(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern int OBinit(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDLEN len);
extern int OBcpy(TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src);
extern int OBmove(TPCONTEXT_T *p_ctxt, char *dest, UBFH *src);
extern long OBsizeof(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern long OBused(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern long OBunused(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern long OBneeded(TPCONTEXT_T *p_ctxt, BFLDOCC nrfields, BFLDLEN totsize);
extern int OBisubf(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern int OBindex(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC occ);
extern BFLDOCC OBunindex(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern long OBidxused(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern int OBrstrindex(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDOCC occ);
extern int OB16to32(TPCONTEXT_T *p_ctxt, UBFH *dst, UBFH *src);
extern int OB32to16(TPCONTEXT_T *p_ctxt, UBFH *dst, UBFH *src);
extern int OBadd(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf,
		 BFLDLEN len);
extern int OBaddfast(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf,
		     BFLDLEN len, Bfld_loc_info_t *next_fld);
extern int OCBadd(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf,
		  BFLDLEN len, int usrtype);
extern int OCBaddfast(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf,
		      BFLDLEN len, int usrtype, Bfld_loc_info_t *next_fld);
extern int OBadds(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf);
extern int OBchg(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		 char *buf, BFLDLEN len);
extern int OCBchg(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		  char *buf, BFLDLEN len, int usrtype);
extern int OBchgs(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		  char *buf);
extern int OBdel(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
extern int OBdelall(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid);
extern int OBdelete(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldlist);
extern int Ondrx_Fadd(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, char *buf,
		      BFLDLEN len);
extern int Ondrx_Fchg(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
		      BFLDOCC occ, char *buf, BFLDLEN len);
extern long Ondrx_Fvall(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			BFLDOCC occ);
extern char *Ondrx_Fvals(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			 BFLDOCC occ);
extern int OBget(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		 char *buf, BFLDLEN *buflen);
extern int OCBget(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		  char *buf, BFLDLEN *buflen, int usrtype);
extern int OBgets(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		  char *buf);
extern char *OBgetsa(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
		     BFLDOCC occ, BFLDLEN *extralen);
extern char *OBgetalloc(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			BFLDOCC occ, BFLDLEN *extralen);
extern char *OCBgetalloc(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			 BFLDOCC occ, int usrtype, BFLDLEN *extralen);
extern int OBgetlast(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
		     BFLDOCC *occ, char *buf, BFLDLEN *buflen);
extern char *OBfind(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ,
		    BFLDLEN *p_len);
extern char *OCBfind(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
		     BFLDOCC occ, BFLDLEN *p_len, int usrtype);
extern char *OBfinds(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
		     BFLDOCC occ);
extern char *OBfindlast(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			BFLDOCC *occ, BFLDLEN *p_len);
extern BFLDOCC OBfindocc(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			 char *buf, BFLDLEN len);
extern BFLDOCC OCBfindocc(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid,
			  char *buf, BFLDLEN len, int usrtype);
extern int OBpres(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
extern BFLDOCC OBoccur(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid);
extern BFLDOCC OBnum(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern int OBlen(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
extern int OBnext(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ,
		  char *buf, BFLDLEN *buflen);
extern int OBnext2(TPCONTEXT_T *p_ctxt, Bnext_state_t *bnext_state, UBFH *p_ub,
		   BFLDID *bfldid, BFLDOCC *occ, char *buf, BFLDLEN *buflen,
		   char **d_ptr);
extern int OBcmp(TPCONTEXT_T *p_ctxt, UBFH *p_ubf1, UBFH *p_ubf2);
extern int OBsubset(TPCONTEXT_T *p_ctxt, UBFH *haystack, UBFH *needle);
extern int OBproj(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldlist);
extern int OBprojcpy(TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src,
		     BFLDID *fldlist);
extern int OBupdate(TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src);
extern int OBconcat(TPCONTEXT_T *p_ctxt, UBFH *p_ub_dst, UBFH *p_ub_src);
extern int OBjoin(TPCONTEXT_T *p_ctxt, UBFH *dest, UBFH *src);
extern int OBojoin(TPCONTEXT_T *p_ctxt, UBFH *dest, UBFH *src);
extern BFLDID OBfldid(TPCONTEXT_T *p_ctxt, char *fldnm);
extern char *OBfname(TPCONTEXT_T *p_ctxt, BFLDID bfldid);
extern BFLDID OBmkfldid(TPCONTEXT_T *p_ctxt, int fldtype, BFLDID bfldid);
extern int OBfldtype(TPCONTEXT_T *p_ctxt, BFLDID bfldid);
extern BFLDOCC OBfldno(TPCONTEXT_T *p_ctxt, BFLDID bfldid);
extern char *OBtype(TPCONTEXT_T *p_ctxt, BFLDID bfldid);
extern char *OBtypcvt(TPCONTEXT_T *p_ctxt, BFLDLEN *to_len, int to_type,
		      char *from_buf, int from_type, BFLDLEN from_len);
extern int OBprint(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern int OBfprint(TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *outf);
extern int OBfprintcb(TPCONTEXT_T *p_ctxt, UBFH *p_ub,
		      int (*p_writef)(char **, long, void *, int *, FILE *, int),
		      void *dataptr1);
extern int OBextread(TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *inf);
extern int OBextreadcb(TPCONTEXT_T *p_ctxt, UBFH *p_ub,
		       long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
		       void *dataptr1);
extern int OBwrite(TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *outf);
extern int OBread(TPCONTEXT_T *p_ctxt, UBFH *p_ub, FILE *inf);
extern int OBwritecb(TPCONTEXT_T *p_ctxt, UBFH *p_ub,
		     long (*p_writef)(char *buffer, long bufsz, void *dataptr1),
		     void *dataptr1);
extern int OBreadcb(TPCONTEXT_T *p_ctxt, UBFH *p_ub,
		    long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
		    void *dataptr1);
extern long OBchksum(TPCONTEXT_T *p_ctxt, UBFH *p_ub);
extern char *OBboolco(TPCONTEXT_T *p_ctxt, char *expr);
extern char *OBboolcofml(TPCONTEXT_T *p_ctxt, char *expr);
extern int OBboolev(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *tree);
extern double OBfloatev(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *tree);
extern void OBboolpr(TPCONTEXT_T *p_ctxt, char *tree, FILE *outf);
extern char *OBvboolco(TPCONTEXT_T *p_ctxt, char *expr, char *view);
extern int OBvboolev(TPCONTEXT_T *p_ctxt, char *cstruct, char *tree,
		     char *view);
extern double OBvfloatev(TPCONTEXT_T *p_ctxt, char *cstruct, char *tree,
			 char *view);
extern void OBvboolpr(TPCONTEXT_T *p_ctxt, char *tree, FILE *outf, char *view);
extern void OBboolprcb(TPCONTEXT_T *p_ctxt, char *tree,
		       int (*p_writef)(char *buffer, long datalen, void *dataptr1),
		       void *dataptr1);
extern void OBtreefree(TPCONTEXT_T *p_ctxt, char *tree);
extern int OBboolsetcbf(TPCONTEXT_T *p_ctxt, char *funcname,
			long (*functionPtr)(UBFH *p_ubf, char *funcname));
extern int OBboolsetcbf2(TPCONTEXT_T *p_ctxt, char *funcname,
			 long (*functionPtr)(UBFH *p_ubf, char *funcname, char *arg1));
extern int OBgetr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc, char *buf,
		  BFLDLEN *buflen);
extern int OBgetrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buf, BFLDLEN *buflen,
		   ...);
extern int OCBgetr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc, char *buf,
		   BFLDLEN *buflen, int usrtype);
extern int OCBgetrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buf, BFLDLEN *buflen,
		    int usrtype, ...);
extern char *OCBgetallocr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
			  int usrtype, BFLDLEN *extralen);
extern char *OCBgetallocrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, int usrtype,
			   BFLDLEN *extralen, ...);
extern char *OBfindr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
		     BFLDLEN *p_len);
extern char *OBfindrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDLEN *p_len, ...);
extern char *OCBfindr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
		      BFLDLEN *p_len, int usrtype);
extern char *OCBfindrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDLEN *p_len,
		       int usrtype, ...);
extern int OBpresr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc);
extern int OBpresrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, ...);
extern int OCBvgetr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
		    char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen,
		    int usrtype, long flags);
extern int OCBvgetrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cname, BFLDOCC occ,
		     char *buf, BFLDLEN *buflen, int usrtype, long flags, ...);
extern char *OCBvgetallocr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
			   char *cname, BFLDOCC occ, int usrtype, long flags,
			   BFLDLEN *extralen);
extern char *OCBvgetallocrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cname,
			    BFLDOCC occ, int usrtype, long flags,
			    BFLDLEN *extralen, ...);
extern int OBvnullr(TPCONTEXT_T *p_ctxt, UBFH *p_ub, BFLDID *fldidocc,
		    char *cname, BFLDOCC occ);
extern int OBvnullrv(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cname, BFLDOCC occ,
		     ...);
extern int OBflddbload(TPCONTEXT_T *p_ctxt);
extern int OBflddbunload(TPCONTEXT_T *p_ctxt);
extern int OBflddbunlink(TPCONTEXT_T *p_ctxt);
extern BFLDID OBflddbid(TPCONTEXT_T *p_ctxt, char *fldname);
extern char *OBflddbname(TPCONTEXT_T *p_ctxt, BFLDID bfldid);
extern int OBflddbget(TPCONTEXT_T *p_ctxt, EDB_val *data, BFLDID *p_bfldid,
		      BFLDID *p_bfldno, short *p_bfldtype, char *fldname,
		      int fldname_bufsz);
extern int OBflddbadd(TPCONTEXT_T *p_ctxt, EDB_txn *txn, short fldtype,
		      BFLDID bfldno, char *fldname);
extern int OBflddbdel(TPCONTEXT_T *p_ctxt, EDB_txn *txn, BFLDID bfldid);
extern int OBflddbdrop(TPCONTEXT_T *p_ctxt, EDB_txn *txn);
extern EDB_env *OBfldddbgetenv(TPCONTEXT_T *p_ctxt, EDB_dbi **dbi_id,
			       EDB_dbi **dbi_nm);
extern int OBvnull(TPCONTEXT_T *p_ctxt, char *cstruct, char *cname, BFLDOCC occ,
		   char *view);
extern int OBvselinit(TPCONTEXT_T *p_ctxt, char *cstruct, char *cname,
		      char *view);
extern int OBvsinit(TPCONTEXT_T *p_ctxt, char *cstruct, char *view);
extern void OBvrefresh(TPCONTEXT_T *p_ctxt);
extern int OBvopt(TPCONTEXT_T *p_ctxt, char *cname, int option, char *view);
extern int OBvftos(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cstruct, char *view);
extern int OBvstof(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *cstruct, int mode,
		   char *view);
extern int OCBvget(TPCONTEXT_T *p_ctxt, char *cstruct, char *view, char *cname,
		   BFLDOCC occ, char *buf, BFLDLEN *buflen, int usrtype,
		   long flags);
extern char *OCBvgetalloc(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			  char *cname, BFLDOCC occ, int usrtype, long flags,
			  BFLDLEN *extralen);
extern int OCBvchg(TPCONTEXT_T *p_ctxt, char *cstruct, char *view, char *cname,
		   BFLDOCC occ, char *buf, BFLDLEN len, int usrtype);
extern long OBvsizeof(TPCONTEXT_T *p_ctxt, char *view);
extern long OBvneeded(TPCONTEXT_T *p_ctxt, char *view);
extern long OBvcpy(TPCONTEXT_T *p_ctxt, char *cstruct_dst, char *cstruct_src,
		   char *view);
extern BFLDOCC OBvoccur(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			char *cname, BFLDOCC *maxocc, BFLDOCC *realocc,
			long *dim_size, int *fldtype);
extern int OBvsetoccur(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
		       char *cname, BFLDOCC occ);
extern int OBvnext(TPCONTEXT_T *p_ctxt, Bvnext_state_t *state, char *view,
		   char *cname, int *fldtype, BFLDOCC *maxocc, long *dim_size);
extern int OBvcmp(TPCONTEXT_T *p_ctxt, char *cstruct1, char *view1,
		  char *cstruct2, char *view2);
extern int OBvprint(TPCONTEXT_T *p_ctxt, char *cstruct, char *view);
extern int OBvfprint(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
		     FILE *outf);
extern int OBvfprintcb(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
		       int (*p_writef)(char **, long, void *, int *, FILE *, int),
		       void *dataptr1);
extern int OBvextread(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
		      FILE *inf);
extern int OBvextreadcb(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
			void *dataptr1);

extern int OBgetfields(TPCONTEXT_T *p_ctxt, UBFH *p_ub, struct Bfield *fields,
		       int max);
extern int OBputfields(TPCONTEXT_T *p_ctxt, UBFH *p_ub,
		       const struct Bfield *fields, int n, int *bad);
extern int OBvgetfields(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			struct Bfield *fields, int max);
extern int OBvputfields(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			const struct Bfield *fields, int n, int *bad);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
