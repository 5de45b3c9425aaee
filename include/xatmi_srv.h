/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi_srv.h - what a server program defines, calls and is started by
 *
 * A part of xatmi.h; include that one, its conventions hold here. These
 * functions are in libatmisrv.
 */
#ifndef XATMI_SRV_H
#define XATMI_SRV_H

#include <stdint.h>
#include <xatmi_defs.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Defined by the application ---- */

/* Start (-1: the server does not start), end; of the process and, in
 * threaded servers, of each worker thread. (Tuxedo) */
extern int tpsvrinit(int argc, char **argv);
extern void tpsvrdone(void);
extern int tpsvrthrinit(int argc, char **argv);
extern void tpsvrthrdone(void);

/* The form of a service function. (XATMI) */
extern void tpservice(TPSVCINFO *svcinfo);

/* ---- Ending a service ---- */

/*
 * End the service with TPSUCCESS, TPFAIL or TPEXIT, `rcode` (the caller's
 * tpurcode) and a buffer, which is freed. Does not return, unless the server
 * was started with ATMI_SRVLIB_NOLONGJUMP. Flags: TPSOFTTIMEOUT TPSOFTERR
 * TPSOFTENOENT. Memory not of tpalloc(): the caller gets TPESVCERR. (XATMI)
 */
extern void tpreturn(int rval, long rcode, char *data, long len, long flags);

/* End the service and let `svc` answer the caller. An unknown service: the
 * caller gets TPESVCERR. Does not return, as above. (Tuxedo) */
extern void tpforward(char *svc, char *data, long len, long flags);

/* Leave the service without a reply; somebody else gives it. (ours) */
extern void tpcontinue(void);

/* Shut this server down after the current call; a client ends. (ours) */
extern void tpexit(void);

/* ---- Services ---- */

/*
 * Offer `svc_nm` (up to 30 characters, without '/') by `p_func`, which is
 * called `fn_nm`. TPEINVAL TPELIMIT (48 services) TPEMATCH (the name has
 * another function) TPEPROTO TPEOS. (XATMI; _full: ours)
 */
extern int tpadvertise_full(char *svc_nm, void (*p_func)(TPSVCINFO *),
			    char *fn_nm);
#define tpadvertise(S, F) tpadvertise_full((S), (F), (char *)#F)

/* TPEINVAL TPENOENT SYS. (XATMI) */
extern int tpunadvertise(char *svcname);

/* ---- Moving a request to another thread or process ---- */

/*
 * The request's context as memory (of the library, or in p_buf, *p_len: in
 * size, out length), free it with tpsrvfreectxdata(). Setting: TPNOAUTBUF.
 * TPEINVAL TPEPROTO TPERMERR SYS. (ours)
 */
extern char *tpsrvgetctxdata(void);
extern char *tpsrvgetctxdata2(char *p_buf, long *p_len);
extern int tpsrvsetctxdata(char *data, long flags);
extern void tpsrvfreectxdata(char *data);

/* ---- Extending the main loop ---- */

/*
 * Call back when descriptor `fd` is ready for `events` (epoll's bits), every
 * `secs` seconds, before each wait. A callback's result other than 0 stops
 * the server. TPEINVAL TPEMATCH (known, unknown fd) TPEPROTO (tpsvrinit)
 * SYS. (ours)
 */
extern int tpext_addpollerfd(int fd, uint32_t events, void *ptr1,
			     int (*p_pollevent)(int, uint32_t, void *));
extern int tpext_delpollerfd(int fd);
extern int tpext_addperiodcb(int secs, int (*p_periodcb)(void));
extern int tpext_delperiodcb(void);
extern int tpext_addb4pollcb(int (*p_b4pollcb)(void));
extern int tpext_delb4pollcb(void);

/* ---- Entry points of generated and own mains; a process exit code ---- */

extern int ndrx_main(int argc, char **argv);
extern int ndrx_main_integra(int argc, char **argv,
			     int (*in_tpsvrinit)(int, char **),
			     void (*in_tpsvrdone)(void), long flags);
extern int _tmstartserver(int argc, char **argv, struct tmsvrargs_t *args);
extern int _tmrunserver(int flags);
extern struct tmsvrargs_t *_tmgetsvrargs(void);

extern int _tmbuilt_with_thread_option; /* 1: worker threads allowed */
extern int (*G_tpsvrinit__)(int, char **);
extern void (*G_tpsvrdone__)(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
