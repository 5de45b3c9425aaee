/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi.h - the ATMI calls: requests, buffers, session, errors
 *
 * Constants and structures: xatmi_defs.h. Events, queues, transactions:
 * xatmi_tx.h. Server side: xatmi_srv.h. All come with this header.
 *
 * Unless said otherwise, an int function returns -1 on failure, a pointer
 * function NULL, and both set tperrno. `SYS` in a list of errors stands for
 * TPESYSTEM and TPEOS. Every function may also fail with TPEINVAL for a NULL
 * argument that must not be NULL, and with TPEPROTO if this build lacks it.
 * State is per thread: a thread is one context. Lengths are in bytes. A buffer
 * is memory from tpalloc(); it lives until tpfree(), or until a call that is
 * documented to replace it.
 * Source in parentheses: XATMI (X/Open C506), Tuxedo, or ours.
 */
#ifndef XATMI_H
#define XATMI_H

#include <ndrstandard.h>
#include <xatmi_defs.h>
#include <ubf.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Errors ---- */

/* The last error of this thread, and the rcode of the last tpreturn() that it
 * received. (XATMI) */
extern int *_exget_tperrno_addr(void);
extern long *_exget_tpurcode_addr(void);
#define tperrno	 (*_exget_tperrno_addr())
#define tpurcode (*_exget_tpurcode_addr())

/*
 * The text of an error code: "6:TPENOENT". The text of the thread's current
 * error has its detail too: "6:TPENOENT (last error 6: service X is not
 * advertised)". Valid until the thread calls the function again; do not free.
 * Never fails, sets no error. (Tuxedo)
 */
extern char *tpstrerror(int err);
extern char *tpstrerrordetail(int err, long flags); /* the same */

/* The name of an error code: "TPENOENT". Static memory. (ours) */
extern char *tpecodestr(int err);

/* Always -1: there are no detail codes; strict-tuxedo: TPED_MINVAL. (Tuxedo) */
extern int tperrordetail(long flags);

/* ---- Request and reply ---- */

/*
 * Call `svc` and wait for the reply. `idata` and `ilen` are the request;
 * `idata` may be NULL; `ilen` matters for CARRAY only. The reply goes into
 * *odata, which is a buffer or NULL. That buffer may be moved, get another
 * type. A reply without data frees it, and *odata is NULL. *olen is the reply's
 * length.
 * Flags: TPNOTRAN TPNOCHANGE TPNOBLOCK (for the request) TPNOTIME TPSIGRSTRT
 * TPTRANSUSPEND TPNOABORT TPNOCACHE*. TPEINVAL TPEITYPE TPEOTYPE TPENOENT
 * TPETIME TPESVCFAIL (reply and tpurcode are set) TPESVCERR TPEBLOCK TPETRAN
 * TPGOTSIG SYS; TPEOS also without a free block or queue. No service has a
 * name of more than 30 characters. (XATMI)
 */
extern int tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
		  long flags);

/*
 * Send a request without waiting for the reply. Returns a call descriptor > 0;
 * with TPNOREPLY 0. The caller keeps `data`. Flags: TPNOTRAN TPNOREPLY
 * TPNOBLOCK TPNOTIME TPSIGRSTRT. TPEINVAL TPEITYPE TPENOENT TPETIME TPEBLOCK
 * TPELIMIT (16383 calls open) TPETRAN TPGOTSIG SYS. (XATMI)
 */
extern int tpacall(char *svc, char *data, long len, long flags);

/*
 * Wait for the reply to descriptor *cd; with TPGETANY for any reply, and set
 * *cd to its descriptor. Buffers as in tpcall(). Flags: TPGETANY TPNOBLOCK
 * TPNOCHANGE TPNOTIME TPSIGRSTRT TPNOABORT. TPEINVAL TPEBADDESC TPEBLOCK (with
 * TPNOBLOCK: no reply yet, or TPGETANY and no call) TPETIME (the descriptor
 * stays valid; with TPNOBLOCK it means that the time-out of the call itself is
 * over, and the descriptor is gone) TPESVCFAIL TPESVCERR TPEOTYPE TPEITYPE TPETRAN TPGOTSIG SYS.
 * (XATMI)
 */
extern int tpgetrply(int *cd, char **data, long *len, long flags);

/* Cancel a call: its reply is dropped. TPEBADDESC TPEINVAL TPETRAN. (XATMI) */
extern int tpcancel(int cd);

/*
 * tpsprio() sets the priority of the next request: `prio` is added to the
 * service's (default 50), and the result is clamped to 1..100; or, with
 * TPABSOLUTE, `prio` replaces it and must be from 1 to 100. TPEINVAL.
 * tpgprio() returns the priority of the last request sent. (Tuxedo)
 */
extern int tpsprio(int prio, long flags);
extern int tpgprio(void);

/* ---- Conversations ---- */

/*
 * Connect to a service, which need not be conversational, and wait until a
 * server has begun. Returns a descriptor >= 0. Flags: TPSENDONLY or TPRECVONLY
 * (this end sends or receives first; without: both may send) TPNOTRAN TPNOTIME
 * TPSIGRSTRT TPNOBLOCK (of the request). TPEINVAL TPENOENT TPELIMIT (16,383
 * open) TPETIME TPEBLOCK TPESVCERR TPEITYPE TPEPROTO (a guest) TPGOTSIG SYS.
 * (XATMI)
 */
extern int tpconnect(char *svc, char *data, long len, long flags);

/*
 * Send; with TPRECVONLY the other end sends next. Waits while the other end
 * fetches nothing. revent may be NULL. TPEINVAL TPETIME TPEBLOCK TPGOTSIG
 * TPEPROTO (the other end is to send) TPEEVENT (*revent is TPEV_*) SYS. (XATMI)
 */
extern int tpsend(int cd, char *data, long len, long flags, long *revent);

/*
 * Receive into *data, which is resized or replaced; it may be NULL. revent may
 * be NULL. TPEINVAL TPETIME TPEBLOCK TPGOTSIG TPEOTYPE (TPNOCHANGE) TPEPROTO
 * (this end is to send) TPEEVENT (*revent is TPEV_*; TPEV_SENDONLY comes with
 * data, TPEV_SVCSUCC and TPEV_SVCFAIL with those of tpreturn()) SYS. (XATMI)
 */
extern int tprecv(int cd, char **data, long *len, long flags, long *revent);

/* Leave a conversation: the other end gets TPEV_DISCONIMM. TPEINVAL SYS.
 * (XATMI) */
extern int tpdiscon(int cd);

/* ---- Unsolicited messages ---- */

/*
 * Set this thread's handler; NULL: none. It gets data, length and flags; the
 * data are valid during the call. It runs in tpchkunsol(), and while a call
 * waits, and may not call. Returns the previous handler, or TPUNSOLERR:
 * TPEPROTO (in a server, in a handler) SYS. (Tuxedo)
 */
#define TPUNSOLERR ((void (*)(char *, long, long))(-1))
extern void (*tpsetunsol(void (*disp)(char *, long, long)))(char *, long,
							    long);

/* Pass waiting messages to the handler. Returns their number. TPEPROTO SYS.
 * (Tuxedo) */
extern int tpchkunsol(void);

/* Send to one client, which keeps 256 messages at most. TPEINVAL TPENOENT (it
 * has left) TPETIME TPEBLOCK TPGOTSIG TPEPERM SYS. (Tuxedo) */
extern int tpnotify(CLIENTID *clientid, char *data, long len, long flags);

/*
 * Send to all clients of node `lmid` (its id as text) and program `cltname`;
 * NULL stands for any. With TPREGEXMATCH both are regular expressions.
 * TPEINVAL SYS. (Tuxedo)
 */
extern int tpbroadcast(char *lmid, char *usrname, char *cltname, char *data,
		       long len, long flags);

/* ---- Buffers ---- */

/*
 * Allocate a buffer of at least `size` bytes (0: the type's default), to be
 * freed by tpfree(). Types: UBF (FML, UBF32, FML32), STRING, CARRAY (X_OCTET),
 * JSON, VIEW (VIEW32), NULL, TPINIT; tptypes() says UBF, CARRAY, VIEW for the
 * names in parentheses. `subtype`: the name of a VIEW. TPEINVAL
 * TPEOTYPE (unknown type) TPENOENT (unknown view) SYS. (XATMI)
 */
extern char *tpalloc(char *type, char *subtype, long size);

/* Grow or shrink. On success the old address is invalid. TPEINVAL TPEOS.
 * (XATMI) */
extern char *tprealloc(char *ptr, long size);

/* Free a buffer and the buffers that its fields of type BFLD_PTR point to.
 * NULL and foreign memory are ignored. Resets tperrno. (XATMI) */
extern void tpfree(char *ptr);

/*
 * The size of a buffer. Where `type` and `subtype` are not NULL, they get 8
 * and up to 33 bytes; a type of 8 characters has no NUL. TPEINVAL SYS. (XATMI)
 */
extern long tptypes(char *ptr, char *type, char *subtype);

/* 1: the buffer came with the request being served; 0: it did not. TPEINVAL.
 * (ours) */
extern int tpisautobuf(char *buf);

/* Attach a copy of a UBF header to a message; read the header of a message.
 * TPEINVAL TPEOS. tpgetcallinfo() fails with TPESYSTEM when there is no
 * header; with TPCI_NOEOFERR it returns 0 then, and 1 with a header. (ours) */
extern int tpsetcallinfo(const char *msg, UBFH *cibuf, long flags);
extern int tpgetcallinfo(const char *msg, UBFH **cibuf, long flags);

/* ---- Conversion. `bufsize` includes the NUL ---- */

/* Convert between JSON object and UBF. TPEINVAL TPESYSTEM TPEOS (no room).
 * (ours) */
extern int tpjsontoubf(UBFH *p_ub, char *buffer);
extern int tpubftojson(UBFH *p_ub, char *buffer, int bufsize);

/* Convert between {"VIEW":{...}} and structure. tpjsontoview() writes the name
 * of the view to `view` (34 bytes) and returns a VIEW buffer, which the caller
 * frees. TPEINVAL TPEOTYPE (unknown view) TPESYSTEM TPEOS. (ours) */
extern int tpviewtojson(char *cstruct, char *view, char *buffer, int bufsize,
			long flags);
extern char *tpjsontoview(char *view, char *buffer);

/* Convert between a buffer of any type and text; with TPEX_STRING the text is
 * base64. *olen is the size of `ostr` before and its length after the call.
 * TPEINVAL TPEOTYPE SYS. (Tuxedo) */
extern int tpexport(char *ibuf, long ilen, char *ostr, long *olen, long flags);
extern int tpimport(char *istr, long ilen, char **obuf, long *olen, long flags);

/*
 * Encrypt, decrypt: AES-128-CBC, authenticated; tpencrypt(3) has the keys. With
 * TPEX_STRING the encrypted form is text of base64, the plain one ends with a
 * NUL (tpencrypt(): ilen 0 means its length). *olen is the size of `output`
 * before and the length used after, with the NUL of text. TPEINVAL (also: not
 * encrypted with this key, or changed since) TPELIMIT (*olen: bytes needed)
 * TPEOS. (ours)
 */
extern int tpencrypt(char *input, long ilen, char *output, long *olen,
		     long flags);
extern int tpdecrypt(char *input, long ilen, char *output, long *olen,
		     long flags);

/* Convert the CLIENTID, TPTRANID or XID at `bin` (TPCONVCLTID, TPCONVTRANID,
 * TPCONVXID) from text, with TPTOSTRING to text of up to TPCONVMAXSTR bytes.
 * TPEINVAL. (Tuxedo) */
extern int tpconvert(char *str, char *bin, long flags);

/* ---- Session and contexts ---- */

/* Join the domain as a client; otherwise the first call does. TPEINVAL (the
 * environment is wrong) SYS. tpappthrinit() and tpappthrterm() do the same for
 * a thread that an application has made. (Tuxedo) */
extern int tpinit(TPINIT *tpinfo);
extern int tpappthrinit(TPINIT *tpinfo);

/* Leave the domain; buffers stay. TPEPROTO in a server's main thread. SYS.
 * (Tuxedo) */
extern int tpterm(void);
extern int tpappthrterm(void);

/* Always TPNOAUTH. (Tuxedo) */
extern int tpchkauth(void);

/*
 * tpgetctxt() takes the context off this thread (Tuxedo leaves it there): its
 * calls, errors, loggers and time-outs. Returns TPMULTICONTEXTS with a handle
 * for tpsetctxt() or tpfreectxt(), valid in all threads of the process until
 * it is freed; TPNULLCONTEXT, and so is *context: the thread has none.
 * TPEINVAL (context is NULL, flags are not 0) TPELIMIT TPEOS.
 * tpsetctxt() puts one on; TPNULLCONTEXT: none. What the thread had rests if
 * it has a handle, else it ends. Returns 0. TPEINVAL (flags; TPINVALIDCONTEXT)
 * TPENOENT (freed, or never made) TPEPROTO (another thread has it) TPEOS.
 * (Tuxedo)
 */
extern int tpgetctxt(TPCONTEXT_T *context, long flags);
extern int tpsetctxt(TPCONTEXT_T context, long flags);

/* tpsetctxt() by another name: `priv_flags` (CTXT_PRIV_*) have no effect, all
 * parts of the context are put on. (ours; Enduro/X) */
extern int ndrx_tpsetctxt(TPCONTEXT_T context, long flags, long priv_flags);

/* A size in bytes for which programs make buffers: NDRX_MSGSIZEMAX of the
 * environment, at least 65,536. Messages may be larger. (ours; Enduro/X) */
#define NDRX_MSGSIZEMAX ndrx_msgsizemax()
extern long ndrx_msgsizemax(void);

/*
 * Make a context: its handle, or NULL. auto_destroy: it ends with the thread
 * that has it then, else it rests. auto_set: it is put on this thread.
 * TPELIMIT (65,536 of them) TPEOS. tpfreectxt() ends it, as tpterm() does, and
 * its loggers; this thread may have it. TPEINVAL, TPENOENT, TPEPROTO (another
 * thread has it; a server serves with it): tperrno says so. (ours)
 */
extern TPCONTEXT_T tpnewctxt(int auto_destroy, int auto_set);
extern void tpfreectxt(TPCONTEXT_T context);

/* The call time-out of the process in seconds; setting it affects calls that
 * start later. TPEINVAL (< 0). (ours) */
extern int tptoutset(int tout);
extern int tptoutget(void);

/*
 * Set the call time-out of this context in seconds, or with TPBLK_MILLISECOND in
 * milliseconds: TPBLK_NEXT for the next call, TPBLK_ALL for all calls; 0 removes it. The first one set of these
 * holds: TPBLK_NEXT, TPBLK_ALL, tptoutset(), NDRX_TOUT. tpgblktime() returns
 * the value set, 0: none. TPEINVAL. (Tuxedo)
 */
extern int tpsblktime(int tout, long flags);
extern int tpgblktime(long flags);

/* The cluster node of this domain, 1..32; the server id, 0 in a client.
 * (ours) */
extern long tpgetnodeid(void);
extern int tpgetsrvid(void);

/*
 * As getenv() and putenv(): the string NAME=VALUE becomes a part of the
 * environment. tuxputenv() returns 0, or another value without memory. (Tuxedo)
 */
extern char *tuxgetenv(char *name);
extern int tuxputenv(char *string);

/*
 * Take variables from a file: of its lines before the first [section], and of
 * those in section [label] (NULL: none). NAME=VALUE, with ${NAME} for a
 * variable; a line `ident NAME` is skipped. `file` NULL: that of the variable
 * ENVFILE, and without one nothing. 0, or another value: the file cannot be
 * read, or a line has no `=`. (Tuxedo)
 */
extern int tuxreadenv(char *file, char *label);

/* The database connection, which belongs to the XA driver. TPENOENT. (ours) */
extern void *tpgetconn(void);

/* Is process group `grpno` (0: this process's) locked in this domain? 1 or 0;
 * *grp_flags (may be NULL) gets TPPG_SINGLETON or 0. Flag TPPG_NONSGSUCC: one
 * that is no singleton is. TPEINVAL TPENOENT TPEPERM (a guest) SYS (ndrxd does
 * not run). (ours) */
extern long tpsgislocked(int grpno, long flags, long *grp_flags);

/* The XA switch in use, NULL: none. tmnull_switch does nothing. (ours) */
extern struct xa_switch_t *ndrx_xa_sw_get(void);
extern struct xa_switch_t tmnull_switch;

/* fork(), after which the runtime works in the child too; or the three steps
 * to call around a fork() of the application. (ours) */
extern pid_t ndrx_fork(void);
extern void ndrx_atfork_prepare(void);
extern void ndrx_atfork_parent(void);
extern void ndrx_atfork_child(void);

/* ---- Logging with buffers; the rest is in ndebug.h ---- */

/*
 * Log to the request's own file. Its name comes from field EX_NREQLOGFILE of
 * the UBF buffer *data, else it is `filename`, which is stored in the buffer,
 * else service `filesvc` is called for it. TPEINVAL TPENOENT SYS, and the errors
 * of tpcall(). Read the name in a buffer (TPENOENT: it has none), delete it.
 * TPEINVAL. (ours)
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
