/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odebug.h - the debug log with an explicit context
 *
 * For language bindings. Each function does what the one of the same name
 * without the O does, in context *p_ctxt instead of the thread's own, with the
 * same results and errors. *p_ctxt TPNULLCONTEXT: in a new context, whose
 * handle is stored there. TPEINVAL (p_ctxt is NULL) TPENOENT (no such context)
 * TPEPROTO (another thread has it) TPELIMIT, TPEOS (no new one); Berror is
 * BEINVAL then, Nerror NEINVAL. (ours)
 */
#ifndef ODEBUG_H
#define ODEBUG_H

#include <limits.h>

#include <atmi.h>
#include <ndebug.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* For the macros below only: put a context on this thread and off again. */
extern int ow_object_enter(TPCONTEXT_T *p_ctxt);
extern void ow_object_leave(int entered);

/* The macros of ndebug.h: into the log of the context. */
#define OW_ODEBUG(fac, p_ctxt, lev, what)			  \
	do {							  \
		int ow_olev_ = (lev);				  \
		if (ow_ndebug_on(fac, ow_olev_)) {		  \
			int ow_entered_ = ow_object_enter(p_ctxt); \
			what;					  \
			ow_object_leave(ow_entered_);		  \
		}						  \
	} while (0)
#define ONDRX_LOG(p_ctxt, lev, ...) \
	OW_ODEBUG(0, p_ctxt, lev, NDRX_LOG(ow_olev_, __VA_ARGS__))
#define OUBF_LOG(p_ctxt, lev, ...) \
	OW_ODEBUG(1, p_ctxt, lev, UBF_LOG(ow_olev_, __VA_ARGS__))
#define OTP_LOG(p_ctxt, lev, ...) \
	OW_ODEBUG(2, p_ctxt, lev, TP_LOG(ow_olev_, __VA_ARGS__))
#define ONDRX_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(0, p_ctxt, lev, NDRX_DUMP(ow_olev_, comment, ptr, len))
#define OUBF_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(1, p_ctxt, lev, UBF_DUMP(ow_olev_, comment, ptr, len))
#define OTP_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(2, p_ctxt, lev, TP_DUMP(ow_olev_, comment, ptr, len))

/* ndebug.h */
extern void Otplog(TPCONTEXT_T *p_ctxt, int lev, const char *message);
extern void Otplogex(TPCONTEXT_T *p_ctxt, int lev, const char *file, long line,
		     const char *message);
extern void Otplogdump(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
		       void *ptr, int len);
extern void Otplogdumpdiff(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
			   void *ptr, void *ptr2, int len);
extern long Otplogqinfo(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern char *Otploggetiflags(TPCONTEXT_T *p_ctxt);
extern ndrx_debug_t *Otplogfplock(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern FILE *Otplogfpget(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg, long flags);
extern void Otplogfpunlock(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg);
extern int Otplogconfig(TPCONTEXT_T *p_ctxt, int logger, int lev,
			const char *debug_string, const char *module,
			const char *new_file);
extern int Otplogreopen(TPCONTEXT_T *p_ctxt);
extern int Otploggetreqfile(TPCONTEXT_T *p_ctxt, char *filename, int bufsize);
extern void Otplogsetreqfile_direct(TPCONTEXT_T *p_ctxt, const char *filename);
extern void Otplogclosereqfile(TPCONTEXT_T *p_ctxt);
extern void Otplogclosethread(TPCONTEXT_T *p_ctxt);
extern void Ondrxlog(TPCONTEXT_T *p_ctxt, int lev, const char *message);
extern void Ondrxlogex(TPCONTEXT_T *p_ctxt, int lev, const char *file,
		       long line, const char *message);
extern void Ondrxlogdump(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
			 void *ptr, int len);
extern void Ondrxlogdumpdiff(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
			     void *ptr, void *ptr2, int len);
extern long Ondrxlogqinfo(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern char *Ondrxloggetiflags(TPCONTEXT_T *p_ctxt);
extern ndrx_debug_t *Ondrxlogfplock(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern FILE *Ondrxlogfpget(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg, long flags);
extern void Ondrxlogfpunlock(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg);
extern int Ondrxlogconfig(TPCONTEXT_T *p_ctxt, int logger, int lev,
			  const char *debug_string, const char *module,
			  const char *new_file);
extern void Oubflog(TPCONTEXT_T *p_ctxt, int lev, const char *message);
extern void Oubflogex(TPCONTEXT_T *p_ctxt, int lev, const char *file, long line,
		      const char *message);
extern void Oubflogdump(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
			void *ptr, int len);
extern void Oubflogdumpdiff(TPCONTEXT_T *p_ctxt, int lev, const char *comment,
			    void *ptr, void *ptr2, int len);
extern long Oubflogqinfo(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern char *Oubfloggetiflags(TPCONTEXT_T *p_ctxt);
extern ndrx_debug_t *Oubflogfplock(TPCONTEXT_T *p_ctxt, int lev, long flags);
extern FILE *Oubflogfpget(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg, long flags);
extern void Oubflogfpunlock(TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg);
extern int Oubflogconfig(TPCONTEXT_T *p_ctxt, int logger, int lev,
			 const char *debug_string, const char *module,
			 const char *new_file);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
