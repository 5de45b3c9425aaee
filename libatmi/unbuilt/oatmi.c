/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oatmi.c - the object API of ATMI, which this build lacks
 */
#include <oatmi.h>
#include <oatmisrv.h>

#include "libatmi/unbuilt/unbuilt.h"

/* oatmi.h */
UNBUILT(char *, NULL, Otpstrerror, TPCONTEXT_T *p_ctxt, int err)
UNBUILT(char *, NULL, Otpstrerrordetail, TPCONTEXT_T *p_ctxt, int err,
	long flags)
UNBUILT(char *, NULL, Otpecodestr, TPCONTEXT_T *p_ctxt, int err)
UNBUILT(int, -1, Otperrordetail, TPCONTEXT_T *p_ctxt, long flags)
UNBUILT(int, -1, Otpcall, TPCONTEXT_T *p_ctxt, char *svc, char *idata,
	long ilen, char **odata, long *olen, long flags)
UNBUILT(int, -1, Otpacall, TPCONTEXT_T *p_ctxt, char *svc, char *data, long len,
	long flags)
UNBUILT(int, -1, Otpgetrply, TPCONTEXT_T *p_ctxt, int *cd, char **data,
	long *len, long flags)
UNBUILT(int, -1, Otpcancel, TPCONTEXT_T *p_ctxt, int cd)
UNBUILT(int, -1, Otpsprio, TPCONTEXT_T *p_ctxt, int prio, long flags)
UNBUILT(int, -1, Otpgprio, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpconnect, TPCONTEXT_T *p_ctxt, char *svc, char *data,
	long len, long flags)
UNBUILT(int, -1, Otpsend, TPCONTEXT_T *p_ctxt, int cd, char *data, long len,
	long flags, long *revent)
UNBUILT(int, -1, Otprecv, TPCONTEXT_T *p_ctxt, int cd, char **data, long *len,
	long flags, long *revent)
UNBUILT(int, -1, Otpdiscon, TPCONTEXT_T *p_ctxt, int cd)
UNBUILT(int, -1, Otpchkunsol, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpnotify, TPCONTEXT_T *p_ctxt, CLIENTID *clientid, char *data,
	long len, long flags)
UNBUILT(int, -1, Otpbroadcast, TPCONTEXT_T *p_ctxt, char *lmid, char *usrname,
	char *cltname, char *data, long len, long flags)
UNBUILT(char *, NULL, Otpalloc, TPCONTEXT_T *p_ctxt, char *type, char *subtype,
	long size)
UNBUILT(char *, NULL, Otprealloc, TPCONTEXT_T *p_ctxt, char *ptr, long size)
UNBUILT_VOID(Otpfree, TPCONTEXT_T *p_ctxt, char *ptr)
UNBUILT(long, -1, Otptypes, TPCONTEXT_T *p_ctxt, char *ptr, char *type,
	char *subtype)
UNBUILT(int, -1, Otpisautobuf, TPCONTEXT_T *p_ctxt, char *buf)
UNBUILT(int, -1, Otpsetcallinfo, TPCONTEXT_T *p_ctxt, const char *msg,
	UBFH *cibuf, long flags)
UNBUILT(int, -1, Otpgetcallinfo, TPCONTEXT_T *p_ctxt, const char *msg,
	UBFH **cibuf, long flags)
UNBUILT(int, -1, Otpjsontoubf, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buffer)
UNBUILT(int, -1, Otpubftojson, TPCONTEXT_T *p_ctxt, UBFH *p_ub, char *buffer,
	int bufsize)
UNBUILT(int, -1, Otpviewtojson, TPCONTEXT_T *p_ctxt, char *cstruct, char *view,
	char *buffer, int bufsize, long flags)
UNBUILT(char *, NULL, Otpjsontoview, TPCONTEXT_T *p_ctxt, char *view,
	char *buffer)
UNBUILT(int, -1, Otpexport, TPCONTEXT_T *p_ctxt, char *ibuf, long ilen,
	char *ostr, long *olen, long flags)
UNBUILT(int, -1, Otpimport, TPCONTEXT_T *p_ctxt, char *istr, long ilen,
	char **obuf, long *olen, long flags)
UNBUILT(int, -1, Otpencrypt, TPCONTEXT_T *p_ctxt, char *input, long ilen,
	char *output, long *olen, long flags)
UNBUILT(int, -1, Otpdecrypt, TPCONTEXT_T *p_ctxt, char *input, long ilen,
	char *output, long *olen, long flags)
UNBUILT(int, -1, Otpconvert, TPCONTEXT_T *p_ctxt, char *str, char *bin,
	long flags)
UNBUILT(int, -1, Otpinit, TPCONTEXT_T *p_ctxt, TPINIT *tpinfo)
UNBUILT(int, -1, Otpappthrinit, TPCONTEXT_T *p_ctxt, TPINIT *tpinfo)
UNBUILT(int, -1, Otpterm, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpappthrterm, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpchkauth, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otptoutset, TPCONTEXT_T *p_ctxt, int tout)
UNBUILT(int, -1, Otptoutget, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpsblktime, TPCONTEXT_T *p_ctxt, int tout, long flags)
UNBUILT(int, -1, Otpgblktime, TPCONTEXT_T *p_ctxt, long flags)
UNBUILT(long, -1, Otpgetnodeid, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpgetsrvid, TPCONTEXT_T *p_ctxt)
UNBUILT(char *, NULL, Otuxgetenv, TPCONTEXT_T *p_ctxt, char *name)
UNBUILT(void *, NULL, Otpgetconn, TPCONTEXT_T *p_ctxt)
UNBUILT(long, -1, Otpsgislocked, TPCONTEXT_T *p_ctxt, int grpno, long flags,
	long *grp_flags)
UNBUILT(struct xa_switch_t *, NULL, Ondrx_xa_sw_get, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otplogsetreqfile, TPCONTEXT_T *p_ctxt, char **data,
	char *filename, char *filesvc)
UNBUILT(int, -1, Otploggetbufreqfile, TPCONTEXT_T *p_ctxt, char *data,
	char *filename, int bufsize)
UNBUILT(int, -1, Otplogdelbufreqfile, TPCONTEXT_T *p_ctxt, char *data)
UNBUILT_VOID(Otplogprintubf, TPCONTEXT_T *p_ctxt, int lev, char *title,
	UBFH *p_ub)
UNBUILT(long, -1, Otpsubscribe, TPCONTEXT_T *p_ctxt, char *eventexpr,
	char *filter, TPEVCTL *ctl, long flags)
UNBUILT(int, -1, Otpunsubscribe, TPCONTEXT_T *p_ctxt, long subscription,
	long flags)
UNBUILT(int, -1, Otppost, TPCONTEXT_T *p_ctxt, char *eventname, char *data,
	long len, long flags)
UNBUILT(int, -1, Otpenqueue, TPCONTEXT_T *p_ctxt, char *qspace, char *qname,
	TPQCTL *ctl, char *data, long len, long flags)
UNBUILT(int, -1, Otpenqueueex, TPCONTEXT_T *p_ctxt, short nodeid, short srvid,
	char *qname, TPQCTL *ctl, char *data, long len, long flags)
UNBUILT(int, -1, Otpdequeue, TPCONTEXT_T *p_ctxt, char *qspace, char *qname,
	TPQCTL *ctl, char **data, long *len, long flags)
UNBUILT(int, -1, Otpdequeueex, TPCONTEXT_T *p_ctxt, short nodeid, short srvid,
	char *qname, TPQCTL *ctl, char **data, long *len, long flags)
UNBUILT(int, -1, Otpopen, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpclose, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpbegin, TPCONTEXT_T *p_ctxt, unsigned long timeout,
	long flags)
UNBUILT(int, -1, Otpcommit, TPCONTEXT_T *p_ctxt, long flags)
UNBUILT(int, -1, Otpabort, TPCONTEXT_T *p_ctxt, long flags)
UNBUILT(int, -1, Otpgetlev, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpscmt, TPCONTEXT_T *p_ctxt, long flags)
UNBUILT(int, -1, Otpsuspend, TPCONTEXT_T *p_ctxt, TPTRANID *tranid, long flags)
UNBUILT(int, -1, Otpresume, TPCONTEXT_T *p_ctxt, TPTRANID *tranid, long flags)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_open, TPCONTEXT_T *p_ctxt)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_close, TPCONTEXT_T *p_ctxt)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_begin, TPCONTEXT_T *p_ctxt)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_commit, TPCONTEXT_T *p_ctxt)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_rollback, TPCONTEXT_T *p_ctxt)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_info, TPCONTEXT_T *p_ctxt, TXINFO *info)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_set_commit_return, TPCONTEXT_T *p_ctxt,
	COMMIT_RETURN when_return)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_set_transaction_control,
	TPCONTEXT_T *p_ctxt, TRANSACTION_CONTROL control)
UNBUILT(int, TX_PROTOCOL_ERROR, Otx_set_transaction_timeout,
	TPCONTEXT_T *p_ctxt, TRANSACTION_TIMEOUT timeout)

/* oatmisrv.h */
UNBUILT_VOID(Otpreturn, TPCONTEXT_T *p_ctxt, int rval, long rcode, char *data,
	long len, long flags)
UNBUILT_VOID(Otpforward, TPCONTEXT_T *p_ctxt, char *svc, char *data, long len,
	long flags)
UNBUILT_VOID(Otpcontinue, TPCONTEXT_T *p_ctxt)
UNBUILT_VOID(Otpexit, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpadvertise_full, TPCONTEXT_T *p_ctxt, char *svc_nm,
	void (*p_func)(TPSVCINFO *), char *fn_nm)
UNBUILT(int, -1, Otpunadvertise, TPCONTEXT_T *p_ctxt, char *svcname)
UNBUILT(char *, NULL, Otpsrvgetctxdata, TPCONTEXT_T *p_ctxt)
UNBUILT(char *, NULL, Otpsrvgetctxdata2, TPCONTEXT_T *p_ctxt, char *p_buf,
	long *p_len)
UNBUILT(int, -1, Otpsrvsetctxdata, TPCONTEXT_T *p_ctxt, char *data, long flags)
UNBUILT_VOID(Otpsrvfreectxdata, TPCONTEXT_T *p_ctxt, char *data)
UNBUILT(int, -1, Otpext_addpollerfd, TPCONTEXT_T *p_ctxt, int fd,
	uint32_t events, void *ptr1, int (*p_pollevent)(int, uint32_t, void *))
UNBUILT(int, -1, Otpext_delpollerfd, TPCONTEXT_T *p_ctxt, int fd)
UNBUILT(int, -1, Otpext_addperiodcb, TPCONTEXT_T *p_ctxt, int secs,
	int (*p_periodcb)(void))
UNBUILT(int, -1, Otpext_delperiodcb, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otpext_addb4pollcb, TPCONTEXT_T *p_ctxt,
	int (*p_b4pollcb)(void))
UNBUILT(int, -1, Otpext_delb4pollcb, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Ondrx_main, TPCONTEXT_T *p_ctxt, int argc, char **argv)
UNBUILT(int, -1, Ondrx_main_integra, TPCONTEXT_T *p_ctxt, int argc, char **argv,
	int (*in_tpsvrinit)(int, char **), void (*in_tpsvrdone)(void),
	long flags)
UNBUILT(int, -1, O_tmstartserver, TPCONTEXT_T *p_ctxt, int argc, char **argv,
	struct tmsvrargs_t *args)
UNBUILT(int, -1, O_tmrunserver, TPCONTEXT_T *p_ctxt, int flags)
UNBUILT(struct tmsvrargs_t *, NULL, O_tmgetsvrargs, TPCONTEXT_T *p_ctxt)

void (*Otpsetunsol(TPCONTEXT_T *p_ctxt,
		    void (*disp)(char *, long, long)))(char *, long, long)
{
	ow_tp_fail(TPEPROTO, "Otpsetunsol: not built yet");
	return TPUNSOLERR;
}
