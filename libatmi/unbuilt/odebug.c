/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odebug.c - the object API of the debug log, not built yet
 *
 * They exist so that programs link. Each fails with TPEPROTO and says so in
 * the detail of the error.
 */
#include <odebug.h>

#include "libatmi/base/tperror.h"

/* A function that fails, and one that returns nothing. */
#define UNBUILT(type, result, name, ...)                                 \
	type name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
		return result;                                           \
	}
#define NOTHING(name, ...)                                               \
	void name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
	}

NOTHING(Otplog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
NOTHING(Otplogex, TPCONTEXT_T *p_ctxt, int lev, const char *file, long line,
	const char *message)
NOTHING(Otplogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
NOTHING(Otplogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Otplogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Otploggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Otplogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Otplogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
NOTHING(Otplogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Otplogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
UNBUILT(int, -1, Otplogreopen, TPCONTEXT_T *p_ctxt)
UNBUILT(int, -1, Otploggetreqfile, TPCONTEXT_T *p_ctxt, char *filename,
	int bufsize)
NOTHING(Otplogsetreqfile_direct, TPCONTEXT_T *p_ctxt, const char *filename)
NOTHING(Otplogclosereqfile, TPCONTEXT_T *p_ctxt)
NOTHING(Otplogclosethread, TPCONTEXT_T *p_ctxt)
NOTHING(Ondrxlog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
NOTHING(Ondrxlogex, TPCONTEXT_T *p_ctxt, int lev, const char *file, long line,
	const char *message)
NOTHING(Ondrxlogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
NOTHING(Ondrxlogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Ondrxlogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Ondrxloggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Ondrxlogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Ondrxlogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
NOTHING(Ondrxlogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Ondrxlogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
NOTHING(Oubflog, TPCONTEXT_T *p_ctxt, int lev, const char *message)
NOTHING(Oubflogex, TPCONTEXT_T *p_ctxt, int lev, const char *file, long line,
	const char *message)
NOTHING(Oubflogdump, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, int len)
NOTHING(Oubflogdumpdiff, TPCONTEXT_T *p_ctxt, int lev, const char *comment,
	void *ptr, void *ptr2, int len)
UNBUILT(long, -1, Oubflogqinfo, TPCONTEXT_T *p_ctxt, int lev, long flags)
UNBUILT(char *, NULL, Oubfloggetiflags, TPCONTEXT_T *p_ctxt)
UNBUILT(ndrx_debug_t *, NULL, Oubflogfplock, TPCONTEXT_T *p_ctxt, int lev,
	long flags)
UNBUILT(FILE *, NULL, Oubflogfpget, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg,
	long flags)
NOTHING(Oubflogfpunlock, TPCONTEXT_T *p_ctxt, ndrx_debug_t *dbg)
UNBUILT(int, -1, Oubflogconfig, TPCONTEXT_T *p_ctxt, int logger, int lev,
	const char *debug_string, const char *module, const char *new_file)
