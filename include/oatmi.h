/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oatmi.h - the calls of xatmi.h and tx.h with an explicit context
 *
 * For language bindings. Each function does what the one of the same name
 * without the O does, in context *p_ctxt instead of the thread's own, with the
 * same results and errors. *p_ctxt TPNULLCONTEXT: in a new context, whose
 * handle is stored there. TPEINVAL (p_ctxt is NULL) TPENOENT (no such context)
 * TPEPROTO (another thread has it) TPELIMIT, TPEOS (no new one); Berror is
 * BEINVAL then, Nerror NEINVAL. (ours)
 */
#ifndef OATMI_H
#define OATMI_H

#include <atmi.h>
#include <tpbind.h>
#include <tx.h>
#include <userlog.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The errors of a context; of a context that was refused: of the thread. */
extern int *O_exget_tperrno_addr(TPCONTEXT_T *p_ctxt);
extern long *O_exget_tpurcode_addr(TPCONTEXT_T *p_ctxt);
#define Otperrno(p_ctxt)  (*O_exget_tperrno_addr(p_ctxt))
#define Otpurcode(p_ctxt) (*O_exget_tpurcode_addr(p_ctxt))

/* A pointer of this thread that bindings write into their logs: always NULL, a context
 * is a handle here. (Enduro/X) */
extern __thread void *G_atmi_tls;

/* tpfreectxt(): end `ctxt`, which may be *p_ctxt; *p_ctxt stays as it is. */
extern void Otpfreectxt(TPCONTEXT_T *p_ctxt, TPCONTEXT_T ctxt);

/* nerror.h */
extern int *O_Nget_Nerror_addr(TPCONTEXT_T *p_ctxt);
extern char *ONstrerror(TPCONTEXT_T *p_ctxt, int err);
extern char *ONecodestr(TPCONTEXT_T *p_ctxt, int err);
#define ONerror(p_ctxt) (*O_Nget_Nerror_addr(p_ctxt))

/* xatmi.h */
extern char *Otpstrerror(TPCONTEXT_T *p_ctxt, int err);
extern char *Otpstrerrordetail(TPCONTEXT_T *p_ctxt, int err, long flags);
extern char *Otpecodestr(TPCONTEXT_T *p_ctxt, int err);
extern int Otperrordetail(TPCONTEXT_T *p_ctxt, long flags);
extern int Otpcall(TPCONTEXT_T *p_ctxt, char *svc, char *idata, long ilen,
		   char **odata, long *olen, long flags);
extern int Otpacall(TPCONTEXT_T *p_ctxt, char *svc, char *data, long len,
		    long flags);
extern int Otpgetrply(TPCONTEXT_T *p_ctxt, int *cd, char **data, long *len,
		      long flags);
extern int Otpcancel(TPCONTEXT_T *p_ctxt, int cd);
extern int Otpsprio(TPCONTEXT_T *p_ctxt, int prio, long flags);
extern int Otpgprio(TPCONTEXT_T *p_ctxt);
extern int Otpconnect(TPCONTEXT_T *p_ctxt, char *svc, char *data, long len,
		      long flags);
extern int Otpsend(TPCONTEXT_T *p_ctxt, int cd, char *data, long len,
		   long flags, long *revent);
extern int Otprecv(TPCONTEXT_T *p_ctxt, int cd, char **data, long *len,
		   long flags, long *revent);
extern int Otpdiscon(TPCONTEXT_T *p_ctxt, int cd);
extern void (*Otpsetunsol(TPCONTEXT_T *p_ctxt,
			 void (*disp)(char *, long, long)))(char *,
								     long, long);
extern int Otpchkunsol(TPCONTEXT_T *p_ctxt);
extern int Otpsetunsol_cb(TPCONTEXT_T *p_ctxt,
			  void (*fn)(char *, long, long, void *), void *data);
extern int Otpnotify(TPCONTEXT_T *p_ctxt, CLIENTID *clientid, char *data,
		     long len, long flags);
extern int Otpbroadcast(TPCONTEXT_T *p_ctxt, char *lmid, char *usrname,
			char *cltname, char *data, long len, long flags);
extern char *Otpalloc(TPCONTEXT_T *p_ctxt, char *type, char *subtype,
		      long size);
extern char *Otprealloc(TPCONTEXT_T *p_ctxt, char *ptr, long size);
extern void Otpfree(TPCONTEXT_T *p_ctxt, char *ptr);
extern long Otptypes(TPCONTEXT_T *p_ctxt, char *ptr, char *type, char *subtype);
extern int Otpisautobuf(TPCONTEXT_T *p_ctxt, char *buf);
extern int Otpsetcallinfo(TPCONTEXT_T *p_ctxt, const char *msg, UBFH *cibuf,
			  long flags);
extern int Otpgetcallinfo(TPCONTEXT_T *p_ctxt, const char *msg, UBFH **cibuf,
			  long flags);
extern int Otpjsontoubf(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buffer);
extern int Otpubftojson(TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buffer,
			int bufsize);
extern int Otpviewtojson(TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
			 char *buffer, int bufsize, long flags);
extern char *Otpjsontoview(TPCONTEXT_T *p_ctxt, char *view, char *buffer);
extern int Otpexport(TPCONTEXT_T *p_ctxt, char *ibuf, long ilen, char *ostr,
		     long *olen, long flags);
extern int Otpimport(TPCONTEXT_T *p_ctxt, char *istr, long ilen, char **obuf,
		     long *olen, long flags);
extern int Otpencrypt(TPCONTEXT_T *p_ctxt, char *input, long ilen, char *output,
		      long *olen, long flags);
extern int Otpdecrypt(TPCONTEXT_T *p_ctxt, char *input, long ilen, char *output,
		      long *olen, long flags);
extern int Otpconvert(TPCONTEXT_T *p_ctxt, char *str, char *bin, long flags);
extern int Otpinit(TPCONTEXT_T *p_ctxt, TPINIT *tpinfo);
extern int Otpappthrinit(TPCONTEXT_T *p_ctxt, TPINIT *tpinfo);
extern int Otpterm(TPCONTEXT_T *p_ctxt);
extern int Otpappthrterm(TPCONTEXT_T *p_ctxt);
extern int Otpchkauth(TPCONTEXT_T *p_ctxt);
extern int Otptoutset(TPCONTEXT_T *p_ctxt, int tout);
extern int Otptoutget(TPCONTEXT_T *p_ctxt);
extern int Otpsblktime(TPCONTEXT_T *p_ctxt, int tout, long flags);
extern int Otpgblktime(TPCONTEXT_T *p_ctxt, long flags);
extern int Otpputfields(TPCONTEXT_T *p_ctxt, char **data,
			const struct Bfield *fields, int n, int *bad);
extern int Otpsetsigrstrt(TPCONTEXT_T *p_ctxt, int how);
extern int Otpsetcaller(TPCONTEXT_T *p_ctxt, const char *name, long appkey);
extern int Otpgettrace(TPCONTEXT_T *p_ctxt, struct tptrace *trace);
extern int Otpsettrace(TPCONTEXT_T *p_ctxt, const struct tptrace *trace);
extern int Otpnotespan(TPCONTEXT_T *p_ctxt, const struct tpspan *span);
extern int Otpsvcload(TPCONTEXT_T *p_ctxt, const char *svc,
		      struct tpload *load);
extern int Otpreplyfd(TPCONTEXT_T *p_ctxt);
extern int Otpreplytimeout(TPCONTEXT_T *p_ctxt);
extern int Otpreplywait(TPCONTEXT_T *p_ctxt, long usec);
extern int Otplasterror(TPCONTEXT_T *p_ctxt, char *text, long size,
			long *urcode);
extern long Otpgetnodeid(TPCONTEXT_T *p_ctxt);
extern int Otpgetsrvid(TPCONTEXT_T *p_ctxt);
extern char *Otuxgetenv(TPCONTEXT_T *p_ctxt, char *name);
extern void *Otpgetconn(TPCONTEXT_T *p_ctxt);
extern long Otpsgislocked(TPCONTEXT_T *p_ctxt, int grpno, long flags,
			  long *grp_flags);
extern struct xa_switch_t *Ondrx_xa_sw_get(TPCONTEXT_T *p_ctxt);
extern int Otplogsetreqfile(TPCONTEXT_T *p_ctxt, char **data, char *filename,
			    char *filesvc);
extern int Otploggetbufreqfile(TPCONTEXT_T *p_ctxt, char *data, char *filename,
			       int bufsize);
extern int Otplogdelbufreqfile(TPCONTEXT_T *p_ctxt, char *data);
extern void Otplogprintubf(TPCONTEXT_T *p_ctxt, int lev, char *title,
			   UBFH *p_ub);

/* xatmi_tx.h */
extern long Otpsubscribe(TPCONTEXT_T *p_ctxt, char *eventexpr, char *filter,
			 TPEVCTL *ctl, long flags);
extern int Otpunsubscribe(TPCONTEXT_T *p_ctxt, long subscription, long flags);
extern int Otppost(TPCONTEXT_T *p_ctxt, char *eventname, char *data, long len,
		   long flags);
extern int Otpenqueue(TPCONTEXT_T *p_ctxt, char *qspace, char *qname,
		      TPQCTL *ctl, char *data, long len, long flags);
extern int Otpenqueueex(TPCONTEXT_T *p_ctxt, short nodeid, short srvid,
			char *qname, TPQCTL *ctl, char *data, long len,
			long flags);
extern int Otpdequeue(TPCONTEXT_T *p_ctxt, char *qspace, char *qname,
		      TPQCTL *ctl, char **data, long *len, long flags);
extern int Otpdequeueex(TPCONTEXT_T *p_ctxt, short nodeid, short srvid,
			char *qname, TPQCTL *ctl, char **data, long *len,
			long flags);
extern int Otpopen(TPCONTEXT_T *p_ctxt);
extern int Otpclose(TPCONTEXT_T *p_ctxt);
extern int Otpbegin(TPCONTEXT_T *p_ctxt, unsigned long timeout, long flags);
extern int Otpcommit(TPCONTEXT_T *p_ctxt, long flags);
extern int Otpabort(TPCONTEXT_T *p_ctxt, long flags);
extern int Otpgetlev(TPCONTEXT_T *p_ctxt);
extern int Otpscmt(TPCONTEXT_T *p_ctxt, long flags);
extern int Otpsuspend(TPCONTEXT_T *p_ctxt, TPTRANID *tranid, long flags);
extern int Otpresume(TPCONTEXT_T *p_ctxt, TPTRANID *tranid, long flags);

/* tx.h */
extern int Otx_open(TPCONTEXT_T *p_ctxt);
extern int Otx_close(TPCONTEXT_T *p_ctxt);
extern int Otx_begin(TPCONTEXT_T *p_ctxt);
extern int Otx_commit(TPCONTEXT_T *p_ctxt);
extern int Otx_rollback(TPCONTEXT_T *p_ctxt);
extern int Otx_info(TPCONTEXT_T *p_ctxt, TXINFO *info);
extern int Otx_set_commit_return(TPCONTEXT_T *p_ctxt,
				 COMMIT_RETURN when_return);
extern int Otx_set_transaction_control(TPCONTEXT_T *p_ctxt,
				       TRANSACTION_CONTROL control);
extern int Otx_set_transaction_timeout(TPCONTEXT_T *p_ctxt,
				       TRANSACTION_TIMEOUT timeout);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
