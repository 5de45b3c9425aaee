/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi_srv.h - the server side: what a server program defines and calls
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

/* Called at the start and at the end of the process and, in threaded servers,
 * of each dispatch thread. -1 from an init function: the server does not start.
 * (Tuxedo) */
extern int tpsvrinit(int argc, char **argv);
extern void tpsvrdone(void);
extern int tpsvrthrinit(int argc, char **argv);
extern void tpsvrthrdone(void);

/* The prototype of a service function. (XATMI) */
extern void tpservice(TPSVCINFO *svcinfo);

/* ---- Ending a service ---- */

/*
 * End the service and send the reply: `rval` is TPSUCCESS, TPFAIL or TPEXIT
 * (as TPFAIL, and this process ends; its supervisor starts it again),
 * `rcode` becomes the caller's tpurcode, `data` is a buffer, which is freed.
 * Does not return, unless the server was started with ATMI_SRVLIB_NOLONGJUMP.
 * Flags: TPSOFTTIMEOUT TPSOFTERR TPSOFTENOENT. If `data` is not memory from
 * tpalloc() the caller gets TPESVCERR. (XATMI)
 */
extern void tpreturn(int rval, long rcode, char *data, long len, long flags);

/* End the service and pass the request to `svc`, which replies to the caller.
 * If there is no such service the caller gets TPESVCERR. Returns when
 * tpreturn() does. (Tuxedo) */
extern void tpforward(char *svc, char *data, long len, long flags);

/* Leave the service without a reply; the thread that takes the request by its
 * context data sends it (tpsrvgetctxdata()). Without context data no thread
 * can: the caller gets TPESVCERR. (ours) */
extern void tpcontinue(void);

/* In a server: shut down after the current call. In a client: exit. (ours) */
extern void tpexit(void);

/* ---- Services ---- */

/*
 * Advertise service `svc_nm` (up to 30 characters, without '/', '@' and ',',
 * not beginning with '.'), served by `p_func`, whose name is `fn_nm`.
 * TPEINVAL TPELIMIT (256 services) TPEMATCH (the service has another function
 * already) TPEPROTO TPEOS. Each thread of a server may advertise the same in
 * tpsvrthrinit(). (XATMI; _full: ours)
 */
extern int tpadvertise_full(char *svc_nm, void (*p_func)(TPSVCINFO *),
			    char *fn_nm);
#define tpadvertise(S, F) tpadvertise_full((S), (F), (char *)#F)

/* Withdraw a service. TPEINVAL TPENOENT SYS. (XATMI) */
extern int tpunadvertise(char *svcname);

/* ---- Handing a request to a thread ---- */

/*
 * Get the context of the request as memory, and take the request by it in a
 * thread of the same process, which ends it by tpreturn() or tpforward(); these
 * return there. The memory is the library's, to be freed by
 * tpsrvfreectxdata(), or `p_buf`; *p_len is the size of `p_buf` before and the
 * length used after the call (32 bytes are enough). Flag of setting:
 * TPNOAUTBUF, the buffer of the request becomes the program's. Each request is
 * taken and answered once. TPEINVAL TPEPROTO SYS. (ours)
 */
extern char *tpsrvgetctxdata(void);
extern char *tpsrvgetctxdata2(char *p_buf, long *p_len);
extern int tpsrvsetctxdata(char *data, long flags);
extern void tpsrvfreectxdata(char *data);

/* ---- Extending the main loop ---- */

/*
 * Callbacks: when descriptor `fd` is ready for `events` (bits of epoll), every
 * `secs` seconds, before each wait. A result other than 0 stops the server.
 * TPEINVAL TPEMATCH (add: fd is known; del: it is not) TPEPROTO (during
 * tpsvrinit()) SYS. (ours)
 */
extern int tpext_addpollerfd(int fd, uint32_t events, void *ptr1,
			     int (*p_pollevent)(int, uint32_t, void *));
extern int tpext_delpollerfd(int fd);
extern int tpext_addperiodcb(int secs, int (*p_periodcb)(void));
extern int tpext_delperiodcb(void);
extern int tpext_addb4pollcb(int (*p_b4pollcb)(void));
extern int tpext_delb4pollcb(void);

/* ---- Entry points for main(); they return its exit code ---- */

/* A name for a callback that is given to ndrx_main_integra() by its address,
 * so that it does not meet the library's function of the plain name. (ours) */
#define NDRX_INTEGRA(name) __##name##__

extern int ndrx_main(int argc, char **argv);
extern int ndrx_main_integra(int argc, char **argv,
			     int (*in_tpsvrinit)(int, char **),
			     void (*in_tpsvrdone)(void), long flags);
extern int _tmstartserver(int argc, char **argv, struct tmsvrargs_t *args);
extern int _tmrunserver(int flags);
extern int tprminit(char *rmname, void *arg); /* 0: there is nothing to do */
extern struct tmsvrargs_t *_tmgetsvrargs(void);

extern int _tmbuilt_with_thread_option; /* 1: services may run in threads */
extern int (*G_tpsvrinit__)(int, char **);
extern void (*G_tpsvrdone__)(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
