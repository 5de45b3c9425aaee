/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi.h - the ATMI calls: requests, buffers, session, errors
 *
 * Constants and structures: xatmi_defs.h. Events, queues, transactions:
 * xatmi_tx.h. Server side: xatmi_srv.h. All come with this header.
 *
 * Unless said: int functions return -1 and pointer functions NULL on
 * failure and set tperrno. `SYS` in a list of errors is TPESYSTEM or TPEOS.
 * Every function may also fail with TPEINVAL for a NULL argument that must
 * not be NULL, and with TPEPROTO if it is not part of this build yet.
 * State is per thread: a thread is one context. Lengths are bytes. A buffer
 * is memory of tpalloc(); it lives until tpfree(), or until a call that is
 * documented to replace it.
 * Source in parentheses: XATMI (X/Open C506), Tuxedo, or ours.
 */
#ifndef XATMI_H
#define XATMI_H

#include <xatmi_defs.h>
#include <ubf.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Errors ---- */

/* This thread's last error and last tpreturn() code (rcode). (XATMI) */
extern int *_exget_tperrno_addr(void);
extern long *_exget_tpurcode_addr(void);
#define tperrno	 (*_exget_tperrno_addr())
#define tpurcode (*_exget_tpurcode_addr())

/*
 * Text of an error code, "6:TPENOENT"; of the thread's current error, with
 * its detail: "6:TPENOENT (last error 6: service X is not advertised)".
 * Valid until the thread's next call of the function; do not free. Never
 * fails, sets no error. (Tuxedo)
 */
extern char *tpstrerror(int err);
extern char *tpstrerrordetail(int err, long flags); /* the same */

/* Name of an error code, "TPENOENT"; static. (ours) */
extern char *tpecodestr(int err);

/* There are no detail codes: always -1. (Tuxedo) */
extern int tperrordetail(long flags);

/* ---- Request and reply ---- */

/*
 * Call `svc` and wait for the reply. `idata`, `ilen`: the request, NULL
 * allowed; ilen counts for CARRAY only. The reply is put into *odata, which
 * is a buffer or NULL, and may be moved, retyped or become NULL (reply
 * without data); *olen is its length. Flags: TPNOTRAN TPNOCHANGE TPNOBLOCK
 * (for the request) TPNOTIME TPSIGRSTRT TPTRANSUSPEND TPNOABORT TPNOCACHE*.
 * TPEINVAL TPEITYPE TPEOTYPE TPENOENT TPETIME TPESVCFAIL (reply and
 * tpurcode are set) TPESVCERR TPEBLOCK TPETRAN TPGOTSIG SYS; TPEOS also when
 * a block or queue cannot be had. Names over 30 characters are cut. (XATMI)
 */
extern int tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
		  long flags);

/*
 * Send a request and go on. A call descriptor > 0, 0 with TPNOREPLY. Flags:
 * TPNOTRAN TPNOREPLY TPNOBLOCK TPNOTIME TPSIGRSTRT. The caller keeps `data`.
 * TPEINVAL TPEITYPE TPENOENT TPETIME TPEBLOCK TPELIMIT (16383 calls open)
 * TPETRAN TPGOTSIG SYS. (XATMI)
 */
extern int tpacall(char *svc, char *data, long len, long flags);

/*
 * Wait for the reply to *cd; TPGETANY: for any, *cd tells which. 0 or -1.
 * Buffers as in tpcall(). Flags: TPGETANY TPNOBLOCK TPNOCHANGE TPNOTIME
 * TPSIGRSTRT TPNOABORT. TPEINVAL TPEBADDESC TPEBLOCK (TPNOBLOCK, nothing
 * there) TPETIME (the descriptor stays good) TPESVCFAIL TPESVCERR TPEOTYPE
 * TPEITYPE TPETRAN TPGOTSIG SYS. (XATMI)
 */
extern int tpgetrply(int *cd, char **data, long *len, long flags);

/* Give up a call; its reply is dropped. TPEBADDESC TPEINVAL TPETRAN. (XATMI) */
extern int tpcancel(int cd);

/*
 * Priority of the next request, 1..100, default 50: relative, or TPABSOLUTE;
 * clipped. TPEINVAL. tpgprio(): that of the last request sent. (Tuxedo)
 */
extern int tpsprio(int prio, long flags);
extern int tpgprio(void);

/* ---- Conversations ---- */

/*
 * Connect to a conversational service. A descriptor >= 0. Flags: TPSENDONLY
 * or TPRECVONLY (who talks first), TPNOTRAN TPNOTIME TPSIGRSTRT. TPEINVAL
 * TPENOENT TPELIMIT (10 open) TPETIME TPESVCERR TPETRAN TPEITYPE SYS. (XATMI)
 */
extern int tpconnect(char *svc, char *data, long len, long flags);

/*
 * Send; TPRECVONLY hands over control. TPEINVAL TPETIME TPEBLOCK TPEPROTO
 * (we are the receiver) TPEEVENT (*revent is TPEV_*) SYS. (XATMI)
 */
extern int tpsend(int cd, char *data, long len, long flags, long *revent);

/*
 * Receive. TPEINVAL TPETIME TPEBLOCK TPEPROTO (we are the sender) TPEEVENT
 * (*revent is TPEV_*; with TPEV_SENDONLY the data are there too) SYS. (XATMI)
 */
extern int tprecv(int cd, char **data, long *len, long flags, long *revent);

/* Break off; the peer sees TPEV_DISCONIMM. TPEINVAL SYS. (XATMI) */
extern int tpdiscon(int cd);

/* ---- Unsolicited messages ---- */

/*
 * Set this thread's handler (data, length, flags; the data are valid during
 * the call). Returns the previous one, or TPUNSOLERR. (Tuxedo)
 */
#define TPUNSOLERR ((void (*)(char *, long, long))(-1))
extern void (*tpsetunsol(void (*disp)(char *, long, long)))(char *, long,
							    long);

/* Messages handled now, >= 0. SYS. (Tuxedo) */
extern int tpchkunsol(void);

/* To one client. TPEINVAL TPENOENT TPETIME TPEBLOCK SYS. (Tuxedo) */
extern int tpnotify(CLIENTID *clientid, char *data, long len, long flags);

/*
 * To all clients of node id `lmid` (text) and program `cltname`; NULL: any;
 * TPREGEXMATCH: expressions. TPEINVAL SYS. (Tuxedo)
 */
extern int tpbroadcast(char *lmid, char *usrname, char *cltname, char *data,
		       long len, long flags);

/* ---- Buffers ---- */

/*
 * A buffer of type UBF (FML, UBF32, FML32) STRING CARRAY (X_OCTET) JSON VIEW
 * (VIEW32) TPINIT, of at least `size` bytes (0: the type's default). Free it
 * with tpfree(). TPEINVAL TPEOTYPE (type) TPENOENT (view) SYS. (XATMI)
 */
extern char *tpalloc(char *type, char *subtype, long size);

/* Grow or shrink; the old address is gone on success. TPEINVAL TPEOS. (XATMI) */
extern char *tprealloc(char *ptr, long size);

/* With what fields of type BFLD_PTR point to. NULL and foreign memory are
 * ignored; resets tperrno. (XATMI) */
extern void tpfree(char *ptr);

/*
 * Size of a buffer; its type and subtype (8 and 33 bytes are written, ended
 * by NUL only if shorter) where not NULL. TPEINVAL SYS. (XATMI)
 */
extern long tptypes(char *ptr, char *type, char *subtype);

/* 1: the request buffer of the running service, 0: not. TPEINVAL. (ours) */
extern int tpisautobuf(char *buf);

/* Attach (a copy), read the UBF header of a message. TPEINVAL TPEOS; get:
 * TPESYSTEM if there is none (TPCI_NOEOFERR: 0, found: 1). (ours) */
extern int tpsetcallinfo(const char *msg, UBFH *cibuf, long flags);
extern int tpgetcallinfo(const char *msg, UBFH **cibuf, long flags);

/* ---- Conversion. `bufsize` counts the NUL ---- */

/* JSON object <-> UBF. TPEINVAL TPESYSTEM TPEOS (no room). (ours) */
extern int tpjsontoubf(UBFH *p_ub, char *buffer);
extern int tpubftojson(UBFH *p_ub, char *buffer, int bufsize);

/* {"VIEW":{...}} <-> struct. `view` of tpjsontoview() is an output of 34
 * bytes; its result is a VIEW buffer to tpfree(). TPEOTYPE (view). (ours) */
extern int tpviewtojson(char *cstruct, char *view, char *buffer, int bufsize,
			long flags);
extern char *tpjsontoview(char *view, char *buffer);

/* Any buffer <-> text. *olen: in size, out length. TPEX_STRING: base64.
 * TPEINVAL TPEOTYPE SYS. (Tuxedo) */
extern int tpexport(char *ibuf, long ilen, char *ostr, long *olen, long flags);
extern int tpimport(char *istr, long ilen, char **obuf, long *olen, long flags);

/* TPEINVAL TPELIMIT (*olen: bytes needed) TPEOS. (ours) */
extern int tpencrypt(char *input, long ilen, char *output, long *olen,
		     long flags);
extern int tpdecrypt(char *input, long ilen, char *output, long *olen,
		     long flags);

/* CLIENTID, TPTRANID, XID <-> text of up to TPCONVMAXSTR bytes. TPEINVAL
 * SYS. (Tuxedo) */
extern int tpconvert(char *str, char *bin, long flags);

/* ---- Session and contexts ---- */

/* Join as a client; the first call does it too. TPEINVAL (environment) SYS.
 * tpappthr*(): the same for a thread of an application. (Tuxedo) */
extern int tpinit(TPINIT *tpinfo);
extern int tpappthrinit(TPINIT *tpinfo);

/* Leave; buffers stay. TPEPROTO in a server's main thread. SYS. (Tuxedo) */
extern int tpterm(void);
extern int tpappthrterm(void);

/* Always TPNOAUTH. (Tuxedo) */
extern int tpchkauth(void);

/* Take the context off this thread (unlike Tuxedo) and suspend its
 * transaction: TPMULTICONTEXTS, TPNULLCONTEXT. TPEINVAL SYS. */
extern int tpgetctxt(TPCONTEXT_T *context, long flags);
extern int tpsetctxt(TPCONTEXT_T context, long flags);

/* A new context; free it with tpfreectxt(). (ours) */
extern TPCONTEXT_T tpnewctxt(int auto_destroy, int auto_set);
extern void tpfreectxt(TPCONTEXT_T context);

/* Call time-out of the process in seconds, for calls that start later.
 * TPEINVAL (< 0). (ours) */
extern int tptoutset(int tout);
extern int tptoutget(void);

/*
 * Time-out of this context in seconds: TPBLK_NEXT for the next call,
 * TPBLK_ALL for all; 0 removes it. Order: NEXT, ALL, tptoutset(), NDRX_TOUT.
 * tpgblktime(): the value set, 0: none. TPEINVAL. (Tuxedo)
 */
extern int tpsblktime(int tout, long flags);
extern int tpgblktime(long flags);

/* Cluster node of this domain, 1..32; server id, 0 in a client. (ours) */
extern long tpgetnodeid(void);
extern int tpgetsrvid(void);

/* getenv(). (Tuxedo) */
extern char *tuxgetenv(char *name);

/* The database connection of the XA driver; owned by it. TPENOENT. (ours) */
extern void *tpgetconn(void);

/* 1: process group `grpno` is locked, 0: not. TPEINVAL SYS. (ours) */
extern long tpsgislocked(int grpno, long flags, long *grp_flags);

/* The XA switch in use, NULL: none; the switch that does nothing. (ours) */
extern struct xa_switch_t *ndrx_xa_sw_get(void);
extern struct xa_switch_t tmnull_switch;

/* fork() with the runtime put in order in the child; or the three steps
 * around an own fork(). (ours) */
extern pid_t ndrx_fork(void);
extern void ndrx_atfork_prepare(void);
extern void ndrx_atfork_parent(void);
extern void ndrx_atfork_child(void);

/* ---- Logging with buffers; the rest is in ndebug.h ---- */

/*
 * Log into the request's own file: its name is taken from the UBF buffer
 * *data (EX_NREQLOGFILE), else `filename` (stored into the buffer), else
 * asked of service `filesvc`. TPEINVAL TPENOENT SYS. (ours)
 */
extern int tplogsetreqfile(char **data, char *filename, char *filesvc);
extern int tploggetbufreqfile(char *data, char *filename, int bufsize);
extern int tplogdelbufreqfile(char *data);

/* Log a UBF buffer as Bprint() shows it. Never fails. (ours) */
extern void tplogprintubf(int lev, char *title, UBFH *p_ub);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include <xatmi_tx.h>
#include <xatmi_srv.h>

#endif
