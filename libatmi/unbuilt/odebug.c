/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odebug.c - the object API of the debug log, which this build lacks
 */
#include <odebug.h>

#include "libatmi/unbuilt/unbuilt.h"

UNBUILT_VOID(Otplog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
UNBUILT_VOID(Otplogex, TPCONTEXT_T *p_ctxt, int lev, const char *file,
	long line, const char *message)
UNBUILT_VOID(Otplogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
UNBUILT_VOID(Otplogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Otplogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Otploggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Otplogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Otplogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
UNBUILT_VOID(Otplogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Otplogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
UNBUILT(int, -1, Otplogreopen, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otploggetreqfile, TPCONTEXT_T *p_ctxt, char *filename,
	int bufsize)
UNBUILT_VOID(Otplogsetreqfile_direct, TPCONTEXT_T *p_ctxt, const char *filename)
UNBUILT_VOID(Otplogclosereqfile, TPCONTEXT_T *p_ctxt)
UNBUILT_VOID(Otplogclosethread, TPCONTEXT_T *p_ctxt)
UNBUILT_VOID(Ondrxlog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
UNBUILT_VOID(Ondrxlogex, TPCONTEXT_T *p_ctxt, int lev, const char *file,
	long line, const char *message)
UNBUILT_VOID(Ondrxlogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
UNBUILT_VOID(Ondrxlogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char
	*comment, void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Ondrxlogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Ondrxloggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Ondrxlogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Ondrxlogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
UNBUILT_VOID(Ondrxlogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Ondrxlogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
UNBUILT_VOID(Oubflog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
UNBUILT_VOID(Oubflogex, TPCONTEXT_T *p_ctxt, int lev, const char *file,
	long line, const char *message)
UNBUILT_VOID(Oubflogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
UNBUILT_VOID(Oubflogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Oubflogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Oubfloggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Oubflogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Oubflogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
UNBUILT_VOID(Oubflogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Oubflogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
