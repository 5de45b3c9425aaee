/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unbuilt.c - public functions that this build lacks
 */
#include <atmi.h>
#include <lcf.h>
#include <tx.h>

#include "libatmi/unbuilt/unbuilt.h"

/* Conversations */
UNBUILT(int, -1, tpconnect, char *svc, char *data, long len, long flags)
UNBUILT(int, -1, tpsend, int cd, char *data, long len, long flags, long *revent)
UNBUILT(int, -1, tprecv, int cd, char **data, long *len, long flags,
	long *revent)
UNBUILT(int, -1, tpdiscon, int cd)

/* Unsolicited messages */
void (*tpsetunsol(void (*disp)(char *, long, long)))(char *, long, long)
{
	ow_tp_fail(TPEPROTO, "tpsetunsol: not built yet");
	return TPUNSOLERR;
}

UNBUILT(int, -1, tpchkunsol, void)
UNBUILT(int, -1, tpnotify, CLIENTID *clientid, char *data, long len, long flags)
UNBUILT(int, -1, tpbroadcast, char *lmid, char *usrname, char *cltname,
	char *data, long len, long flags)

/* Call headers */
UNBUILT(int, -1, tpsetcallinfo, const char *msg, UBFH *cibuf, long flags)
UNBUILT(int, -1, tpgetcallinfo, const char *msg, UBFH **cibuf, long flags)

/* Conversion of buffers */
UNBUILT(int, -1, tpencrypt, char *input, long ilen, char *output, long *olen,
	long flags)
UNBUILT(int, -1, tpdecrypt, char *input, long ilen, char *output, long *olen,
	long flags)
UNBUILT(int, -1, tpconvert, char *str, char *bin, long flags)

/* Contexts */
UNBUILT(int, -1, tpgetctxt, TPCONTEXT_T *context, long flags)
UNBUILT(int, -1, tpsetctxt, TPCONTEXT_T context, long flags)
UNBUILT(TPCONTEXT_T, NULL, tpnewctxt, int auto_destroy, int auto_set)
UNBUILT_VOID(tpfreectxt, TPCONTEXT_T context)

/* Thread-local state */
UNBUILT(void *, NULL, ndrx_nstd_tls_new, int auto_destroy, int auto_set)
UNBUILT(void *, NULL, ndrx_nstd_tls_get, void)
UNBUILT(int, -1, ndrx_nstd_tls_set, void *data)
UNBUILT_VOID(ndrx_nstd_tls_free, void *data)
UNBUILT(void *, NULL, ndrx_ubf_tls_new, int auto_destroy, int auto_set)
UNBUILT(void *, NULL, ndrx_ubf_tls_get, void)
UNBUILT(int, -1, ndrx_ubf_tls_set, void *data)
UNBUILT_VOID(ndrx_ubf_tls_free, void *data)
UNBUILT(void *, NULL, ndrx_atmi_tls_new, void *tls_in, int auto_destroy,
	int auto_set)
UNBUILT(void *, NULL, ndrx_atmi_tls_get, long priv_flags)
UNBUILT(int, -1, ndrx_atmi_tls_set, void *data, int flags, long priv_flags)
UNBUILT_VOID(ndrx_atmi_tls_free, void *data)

/* Files of requests */
UNBUILT(int, -1, tplogsetreqfile, char **data, char *filename, char *filesvc)
UNBUILT(int, -1, tploggetbufreqfile, char *data, char *filename, int bufsize)
UNBUILT(int, -1, tplogdelbufreqfile, char *data)

/* Groups and resource managers */
UNBUILT(long, -1, tpsgislocked, int grpno, long flags, long *grp_flags)
UNBUILT(struct xa_switch_t *, NULL, ndrx_xa_sw_get, void)

/* Events */
UNBUILT(int, -1, tppost, char *eventname, char *data, long len, long flags)

/* Persistent queues */
UNBUILT(int, -1, tpenqueue, char *qspace, char *qname, TPQCTL *ctl, char *data,
	long len, long flags)
UNBUILT(int, -1, tpenqueueex, short nodeid, short srvid, char *qname,
	TPQCTL *ctl, char *data, long len, long flags)
UNBUILT(int, -1, tpdequeue, char *qspace, char *qname, TPQCTL *ctl, char **data,
	long *len, long flags)
UNBUILT(int, -1, tpdequeueex, short nodeid, short srvid, char *qname,
	TPQCTL *ctl, char **data, long *len, long flags)

/* Transactions */
UNBUILT(int, -1, tpopen, void)
UNBUILT(int, -1, tpclose, void)
UNBUILT(int, -1, tpbegin, unsigned long timeout, long flags)
UNBUILT(int, -1, tpcommit, long flags)
UNBUILT(int, -1, tpabort, long flags)
UNBUILT(int, -1, tpscmt, long flags)
UNBUILT(int, -1, tpsuspend, TPTRANID *tranid, long flags)
UNBUILT(int, -1, tpresume, TPTRANID *tranid, long flags)

/* Transactions, TX */
UNBUILT(int, TX_PROTOCOL_ERROR, tx_open, void)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_close, void)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_begin, void)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_commit, void)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_rollback, void)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_info, TXINFO *info)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_set_commit_return, COMMIT_RETURN when_return)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_set_transaction_control,
	TRANSACTION_CONTROL control)
UNBUILT(int, TX_PROTOCOL_ERROR, tx_set_transaction_timeout,
	TRANSACTION_TIMEOUT timeout)

/* Resource managers that join by themselves */
UNBUILT(int, TMER_PROTO, ax_reg, int rmid, XID *xid, long flags)
UNBUILT(int, TMER_PROTO, ax_unreg, int rmid, long flags)

/* Commands to all processes */
UNBUILT(int, -1, ndrx_lcf_func_add, ndrx_lcf_reg_func_t *func)
UNBUILT(int, -1, ndrx_lcf_xadmin_add, ndrx_lcf_reg_xadmin_t *cmd)
UNBUILT(int, -1, ndrx_lcf_publish, int slot, ndrx_lcf_command_t *cmd)
