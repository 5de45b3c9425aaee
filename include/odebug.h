/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odebug.h - the debug log with an explicit context
 *
 * For language bindings. Each function does what the one of the same name
 * without the O does, in context *p_ctxt instead of the thread's own, with the
 * same results and errors. (ours)
 */
#ifndef ODEBUG_H
#define ODEBUG_H

#include <atmi.h>
#include <ndebug.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The macros of ndebug.h: into the log of the thread, until contexts are
 * built. */
#define OW_ODEBUG(p_ctxt, what)	  \
	do {			  \
		(void)(p_ctxt);	  \
		what;		  \
	} while (0)
#define ONDRX_LOG(p_ctxt, lev, ...) \
	OW_ODEBUG(p_ctxt, NDRX_LOG(lev, __VA_ARGS__))
#define OUBF_LOG(p_ctxt, lev, ...) \
	OW_ODEBUG(p_ctxt, UBF_LOG(lev, __VA_ARGS__))
#define OTP_LOG(p_ctxt, lev, ...) OW_ODEBUG(p_ctxt, TP_LOG(lev, __VA_ARGS__))
#define ONDRX_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(p_ctxt, NDRX_DUMP(lev, comment, ptr, len))
#define OUBF_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(p_ctxt, UBF_DUMP(lev, comment, ptr, len))
#define OTP_DUMP(p_ctxt, lev, comment, ptr, len) \
	OW_ODEBUG(p_ctxt, TP_DUMP(lev, comment, ptr, len))

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
