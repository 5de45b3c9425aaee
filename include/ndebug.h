/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebug.h - the debug log: levels, files, dumps
 *
 * There are three facilities, each with a level: NDRX (the runtime), UBF and
 * TP (the application). All three write to one file. NDRX_DEBUG_CONF and
 * NDRX_DEBUG_STR configure them; without these, errors (level 2) of all three
 * go to standard error. Logging never makes a program fail: a line that cannot
 * be written is lost and counted. Functions are thread safe and keep errno and
 * tperrno. They read the memory passed to them during the call only. All of
 * this interface is ours.
 */
#ifndef NDEBUG_H
#define NDEBUG_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ndrstandard.h>
#include <nerror.h>
#include <thlock.h>
#include <userlog.h>

/* Levels */
enum {
	log_none = 0,
	log_always = 1,
	log_fatal = 1,
	log_error = 2,
	log_warn = 3,
	log_info = 4,
	log_debug = 5,
	log_dump = 6
};

/* Facilities, with the letter that begins their lines */
#define LOG_FACILITY_NDRX	  0x00001 /* (N) */
#define LOG_FACILITY_UBF	  0x00002 /* (U) */
#define LOG_FACILITY_TP		  0x00004 /* (t) */
#define LOG_FACILITY_TP_THREAD	  0x00008 /* (T) */
#define LOG_FACILITY_TP_REQUEST	  0x00010 /* (R) */
#define LOG_FACILITY_NDRX_THREAD  0x00020 /* (n) */
#define LOG_FACILITY_UBF_THREAD	  0x00040 /* (u) */
#define LOG_FACILITY_NDRX_REQUEST 0x00080 /* (m) */
#define LOG_FACILITY_UBF_REQUEST  0x00100 /* (v) */

/* tplogqinfo() */
#define TPLOGQI_GET_NDRX	0x00000001
#define TPLOGQI_GET_UBF		0x00000002
#define TPLOGQI_GET_TP		0x00000004
#define TPLOGQI_EVAL_DETAILED	0x00000008
#define TPLOGQI_EVAL_RETURN	0x00000010
#define TPLOGQI_RET_HAVDETAILED 0x00010000
#define TPLOGQI_RET_LEVEL(info) (((info) >> 24) & 0xff)

typedef struct ndrx_debug ndrx_debug_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The program's name, without its folder. */
#define EX_PROGNAME ow_std_progname()

/* ---- For the macros below only ---- */
extern long ndrx_msgsizemax(void); /* xatmi.h */
static __inline__ char *ow_std_progname(void)
{
	extern char *program_invocation_short_name; /* of the C library */

	return program_invocation_short_name;
}

extern int ow_ndebug_levels[3]; /* -1: not configured yet */
extern int ow_ndebug_start(int fac);
extern void ow_ndebug_write(int fac, int lev, const char *file, long line,
			    const char *func, const char *fmt, ...);
extern void ow_ndebug_dump(int fac, int lev, const char *comment,
			   const void *ptr, int len);
extern void ow_ndebug_dump_diff(int fac, int lev, const char *comment,
				const void *ptr, const void *ptr2, int len);

/* 1 if facility `fac` (0 NDRX, 1 UBF, 2 TP) logs at level `lev`. */
static __inline__ int ow_ndebug_on(int fac, int lev)
{
	int now = __atomic_load_n(&ow_ndebug_levels[fac], __ATOMIC_RELAXED);

	return lev <= (now >= 0 ? now : ow_ndebug_start(fac));
}

/*
 * Log one line, formatted as by printf(), if the facility logs at that level;
 * only then are the arguments evaluated. Lines are cut after 8 KB.
 */
#define OW_NDEBUG_LOG(fac, lev, ...)                                     \
	do {                                                             \
		int ow_lev_ = (lev);                                     \
		if (ow_ndebug_on(fac, ow_lev_))                          \
			ow_ndebug_write(fac, ow_lev_, __FILE__,          \
					__LINE__, __func__, __VA_ARGS__); \
	} while (0)
#define NDRX_LOG(lev, ...) OW_NDEBUG_LOG(0, lev, __VA_ARGS__)
#define UBF_LOG(lev, ...)  OW_NDEBUG_LOG(1, lev, __VA_ARGS__)
#define TP_LOG(lev, ...)   OW_NDEBUG_LOG(2, lev, __VA_ARGS__)

/* Log `len` bytes as a hex dump; log the rows in which two memories differ. */
#define OW_NDEBUG_DUMP(fac, lev, comment, ptr, len)                       \
	do {                                                              \
		int ow_lev_ = (lev);                                      \
		if (ow_ndebug_on(fac, ow_lev_))                           \
			ow_ndebug_dump(fac, ow_lev_, comment, ptr, len);  \
	} while (0)
#define OW_NDEBUG_DIFF(fac, lev, comment, ptr, ptr2, len)                 \
	do {                                                              \
		int ow_lev_ = (lev);                                      \
		if (ow_ndebug_on(fac, ow_lev_))                           \
			ow_ndebug_dump_diff(fac, ow_lev_, comment, ptr,   \
					    ptr2, len);                   \
	} while (0)
#define NDRX_DUMP(lev, comment, ptr, len)                                 \
	OW_NDEBUG_DUMP(0, lev, comment, ptr, len)
#define UBF_DUMP(lev, comment, ptr, len)                                  \
	OW_NDEBUG_DUMP(1, lev, comment, ptr, len)
#define TP_DUMP(lev, comment, ptr, len)                                   \
	OW_NDEBUG_DUMP(2, lev, comment, ptr, len)
#define NDRX_DUMP_DIFF(lev, comment, ptr, ptr2, len)                      \
	OW_NDEBUG_DIFF(0, lev, comment, ptr, ptr2, len)
#define UBF_DUMP_DIFF(lev, comment, ptr, ptr2, len)                       \
	OW_NDEBUG_DIFF(1, lev, comment, ptr, ptr2, len)
#define TP_DUMP_DIFF(lev, comment, ptr, ptr2, len)                        \
	OW_NDEBUG_DIFF(2, lev, comment, ptr, ptr2, len)

/* A line from before the log is configured: here the same as NDRX_LOG(). */
#define NDRX_LOG_EARLY(lev, ...) NDRX_LOG(lev, __VA_ARGS__)
#define UBF_LOG_EARLY(lev, ...)	 UBF_LOG(lev, __VA_ARGS__)

/* The C library's allocator, under the names that programs use. strdup() is
 * POSIX: a program in strict ISO C that uses NDRX_STRDUP() must ask for it. */
#define NDRX_MALLOC(size)	malloc(size)
#define NDRX_CALLOC(n, size)	calloc(n, size)
#define NDRX_REALLOC(ptr, size) realloc(ptr, size)
#define NDRX_FREE(ptr)		free(ptr)
#define NDRX_STRDUP(str)	strdup(str)
#define NDRX_FPMALLOC(size, flags) malloc(size)
#define NDRX_FPFREE(ptr)	free(ptr)
#define NDRX_FOPEN(path, mode)	fopen(path, mode)
#define NDRX_FCLOSE(file)	fclose(file)

/*
 * Allocate a buffer for the longest message; `len` becomes its size. Without
 * memory: log it, set `ret` to EXFAIL and go to the label `out`. _WERR_OUT is
 * the same. Free it by NDRX_SYSBUF_FREE().
 */
#define NDRX_SYSBUF_MALLOC_OUT(buf, len, ret)                               \
	{                                                                   \
		(len) = ndrx_msgsizemax();                                  \
		*(void **)&(buf) = malloc((size_t)(len));                   \
		if ((buf) == NULL) {                                        \
			NDRX_LOG(log_error, "a buffer: no memory");         \
			EXFAIL_OUT(ret);                                    \
		}                                                           \
	}
#define NDRX_SYSBUF_MALLOC_WERR_OUT(buf, len, ret) \
	NDRX_SYSBUF_MALLOC_OUT(buf, len, ret)
#define NDRX_SYSBUF_FREE(buf) free(buf)

/* ---- Facility TP ---- */

/* Log `message` unchanged; ...ex: with its place in the source. Log a dump, or
 * the rows that differ. */
extern void tplog(int lev, const char *message);
extern void tplogex(int lev, const char *file, long line, const char *message);
extern void tplogdump(int lev, const char *comment, void *ptr, int len);
extern void tplogdumpdiff(int lev, const char *comment, void *ptr, void *ptr2,
			  int len);

/*
 * Would a line of level `lev` be written? 0: no. Else the TPLOGQI_GET_* bit of
 * `flags`, TPLOGQI_RET_HAVDETAILED (asked by TPLOGQI_EVAL_DETAILED), and the
 * level of the facility, see TPLOGQI_RET_LEVEL(). With TPLOGQI_EVAL_RETURN
 * never 0. -1: Nerror NEINVAL.
 */
extern long tplogqinfo(int lev, long flags);

/* The iflags of the configuration, in static memory. */
extern char *tploggetiflags(void);

/* The level of a facility, log_none to log_dump. */
extern int debug_get_ndrx_level(void);
extern int debug_get_ubf_level(void);
extern int debug_get_tp_level(void);

/*
 * Write to the log by stdio. Lock the log (NULL: it does not log at `lev`; -1
 * stands for any level), get its FILE, flush and unlock. The FILE belongs to
 * the library.
 */
extern ndrx_debug_t *tplogfplock(int lev, long flags);
extern FILE *tplogfpget(ndrx_debug_t *dbg, long flags);
extern void tplogfpunlock(ndrx_debug_t *dbg);

/* ---- All facilities ---- */

/*
 * Set the level (-1: keep) of the facilities in `logger` (LOG_FACILITY_*). Then
 * apply `debug_string` ("tp=5 file=x"), `module` (4 characters) and `new_file`,
 * each unless it is NULL or empty. 0; -1: NEFORMAT (the string), NESYSTEM (the
 * file), NEMALLOC.
 */
extern int tplogconfig(int logger, int lev, const char *debug_string,
		       const char *module, const char *new_file);

/* Open the files again by name, after rotation. 0; -1: NESYSTEM. */
extern int tplogreopen(void);

/* 1: the request's file is in `filename` (bufsize bytes); 0: it has none. */
extern int tploggetreqfile(char *filename, int bufsize);

/* Write this thread's lines to a file of the request; end that. */
extern void tplogsetreqfile_direct(const char *filename);
extern void tplogclosereqfile(void);

/* Close the file of this thread, set by tplogconfig(..._THREAD, ...). */
extern void tplogclosethread(void);

/* ---- The same for facilities NDRX and UBF ---- */

extern void ndrxlog(int lev, const char *message);
extern void ndrxlogex(int lev, const char *file, long line,
		      const char *message);
extern void ndrxlogdump(int lev, const char *comment, void *ptr, int len);
extern void ndrxlogdumpdiff(int lev, const char *comment, void *ptr,
			    void *ptr2, int len);
extern long ndrxlogqinfo(int lev, long flags);
extern char *ndrxloggetiflags(void);
extern ndrx_debug_t *ndrxlogfplock(int lev, long flags);
extern FILE *ndrxlogfpget(ndrx_debug_t *dbg, long flags);
extern void ndrxlogfpunlock(ndrx_debug_t *dbg);
extern int ndrxlogconfig(int logger, int lev, const char *debug_string,
			 const char *module, const char *new_file);

extern void ubflog(int lev, const char *message);
extern void ubflogex(int lev, const char *file, long line,
		      const char *message);
extern void ubflogdump(int lev, const char *comment, void *ptr, int len);
extern void ubflogdumpdiff(int lev, const char *comment, void *ptr,
			    void *ptr2, int len);
extern long ubflogqinfo(int lev, long flags);
extern char *ubfloggetiflags(void);
extern ndrx_debug_t *ubflogfplock(int lev, long flags);
extern FILE *ubflogfpget(ndrx_debug_t *dbg, long flags);
extern void ubflogfpunlock(ndrx_debug_t *dbg);
extern int ubflogconfig(int logger, int lev, const char *debug_string,
			 const char *module, const char *new_file);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
