/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oatmisrv.h - the server calls with an explicit context
 *
 * For language bindings. Each function does what the one of the same name
 * without the O does, in context *p_ctxt instead of the thread's own, with the
 * same results and errors. *p_ctxt TPNULLCONTEXT: in a new context, whose
 * handle is stored there. TPEINVAL (p_ctxt is NULL) TPENOENT (no such context)
 * TPEPROTO (another thread has it) TPELIMIT, TPEOS (no new one); Berror is
 * BEINVAL then, Nerror NEINVAL. (ours)
 */
#ifndef OATMISRV_H
#define OATMISRV_H

#include <atmi.h>
#include <tpbind.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* xatmi_srv.h */
extern void Otpreturn(TPCONTEXT_T *p_ctxt, int rval, long rcode, char *data,
		      long len, long flags);
extern void Otpforward(TPCONTEXT_T *p_ctxt, char *svc, char *data, long len,
		       long flags);
extern void Otpcontinue(TPCONTEXT_T *p_ctxt);
extern void Otpexit(TPCONTEXT_T *p_ctxt);
extern int Otpadvertise_full(TPCONTEXT_T *p_ctxt, char *svc_nm,
			     void (*p_func)(TPSVCINFO *), char *fn_nm);
extern int Otpunadvertise(TPCONTEXT_T *p_ctxt, char *svcname);
extern char *Otpsrvgetctxdata(TPCONTEXT_T *p_ctxt);
extern char *Otpsrvgetctxdata2(TPCONTEXT_T *p_ctxt, char *p_buf, long *p_len);
extern int Otpsrvsetctxdata(TPCONTEXT_T *p_ctxt, char *data, long flags);
extern void Otpsrvfreectxdata(TPCONTEXT_T *p_ctxt, char *data);
extern int Otpext_addpollerfd(TPCONTEXT_T *p_ctxt, int fd, uint32_t events,
			      void *ptr1,
			      int (*p_pollevent)(int, uint32_t, void *));
extern int Otpext_delpollerfd(TPCONTEXT_T *p_ctxt, int fd);
extern int Otpext_addperiodcb(TPCONTEXT_T *p_ctxt, int secs,
			      int (*p_periodcb)(void));
extern int Otpext_delperiodcb(TPCONTEXT_T *p_ctxt);
extern int Otpext_addb4pollcb(TPCONTEXT_T *p_ctxt, int (*p_b4pollcb)(void));
extern int Otpext_delb4pollcb(TPCONTEXT_T *p_ctxt);
extern int Otpadvertise_cb(TPCONTEXT_T *p_ctxt, char *svc_nm,
			   void (*fn)(TPSVCINFO *, void *), void *data);
extern int Otpext_addperiod_cb(TPCONTEXT_T *p_ctxt, int secs,
			       int (*fn)(void *), void *data);
extern int Otpext_addb4poll_cb(TPCONTEXT_T *p_ctxt, int (*fn)(void *),
			       void *data);
extern int Otpgetcaller(TPCONTEXT_T *p_ctxt, char *name, long size);
extern long Otptimeleft(TPCONTEXT_T *p_ctxt);
extern int Otprunserver(TPCONTEXT_T *p_ctxt, int argc, char **argv,
			const struct tpserver *server);
extern int Ondrx_main(TPCONTEXT_T *p_ctxt, int argc, char **argv);
extern int Ondrx_main_integra(TPCONTEXT_T *p_ctxt, int argc, char **argv,
			      int (*in_tpsvrinit)(int, char **),
			      void (*in_tpsvrdone)(void), long flags);
extern int O_tmstartserver(TPCONTEXT_T *p_ctxt, int argc, char **argv,
			   struct tmsvrargs_t *args);
extern int O_tmrunserver(TPCONTEXT_T *p_ctxt, int flags);
extern struct tmsvrargs_t *O_tmgetsvrargs(TPCONTEXT_T *p_ctxt);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
