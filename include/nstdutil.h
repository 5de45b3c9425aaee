/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nstdutil.h - small functions that programs for Enduro/X use
 *
 * All are thread safe. Paths and strings are read during the call only.
 * (ours; names of Enduro/X)
 */
#ifndef NSTDUTIL_H
#define NSTDUTIL_H

#include <stddef.h>
#include <ndebug.h>
#include <ndrstandard.h>
#include <userlog.h>

/*
 * Allocate memory, to be freed by free(): a copy of a string; `size` bytes;
 * `n` elements of `size` bytes, all zero. Without memory: log it to both logs,
 * set the variable `ret` to EXFAIL and go to the label `out`.
 */
#define NDRX_STRDUP_OUT(ptr, str) \
	OW_STD_OUT(ptr, NDRX_STRDUP(str), "strdup")
#define NDRX_MALLOC_OUT(ptr, size, type) \
	OW_STD_OUT(ptr, (type *)NDRX_MALLOC(size), "malloc")
#define NDRX_CALLOC_OUT(ptr, n, size, type) \
	OW_STD_OUT(ptr, (type *)NDRX_CALLOC(n, size), "calloc")
#define OW_STD_OUT(ptr, value, name)                             \
	{                                                        \
		(ptr) = (value);                                 \
		if ((ptr) == NULL) {                             \
			userlog_const(name ": no memory");       \
			NDRX_LOG(log_error, name ": no memory"); \
			EXFAIL_OUT(ret);                         \
		}                                                \
	}

/*
 * A list that grows: elements of `size` bytes, `step` more each time that it is
 * full. maxindexused is -1 while it is empty.
 */
typedef struct ndrx_growlist {
	int maxindexused; /* the highest index that was set */
	int itemsalloced; /* elements that there is room for */
	int step;
	size_t size;
	void *mem; /* the elements, zero where none was set */
} ndrx_growlist_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* 1 if the path leads to something; if that is a regular file. Else 0. */
extern int ndrx_file_exists(char *filename);
extern int ndrx_file_regular(char *path);

/* The time since 1970, UTC: seconds and the microseconds beyond them. */
extern void ndrx_utc_tstamp2(long *t, long *tusec);

/*
 * Set the stack size in *attr (a pthread_attr_t *) to RLIMIT_STACK, if that is
 * limited, else to the default of new threads. An error is logged.
 */
extern void ndrx_platf_stack_set(void *attr);

/*
 * Append a line (configuration, bytes of a message, calls a second) to the
 * file NDRX_BENCH_FILE. NDRX_BENCH_CONFIGNAME names the configuration. 0; -1:
 * one of the two is not set, or the file cannot be written.
 */
extern int ndrx_bench_write_stats(double msgsize, double callspersec);

/* Make the file `path`, empty, or set its times to now. 0; -1: errno. */
extern int ndrx_file_touch(char *path);

/* The local time `ts` (seconds since 1970) as "YYYY-MM-DD HH:MM:SS", in memory of
 * the thread: valid until its next call with the same `slot` (0 to 19, others
 * are taken modulo 20). */
extern char *ndrx_get_strtstamp_from_sec(int slot, long ts);

/*
 * An empty list; the element at `index`, or behind the last one, becomes a copy of
 * *item; free the elements. 0; -1: no memory, or index < 0.
 */
extern void ndrx_growlist_init(ndrx_growlist_t *list, int step, size_t size);
extern int ndrx_growlist_add(ndrx_growlist_t *list, void *item, int index);
extern int ndrx_growlist_append(ndrx_growlist_t *list, void *item);
extern void ndrx_growlist_free(ndrx_growlist_t *list);

/* Remove one newline, or carriage return and newline, from the end. */
extern void ndrx_chomp(char *str);

/* Occurrences of `character`; 1 if `str` is a decimal integer, else 0. */
extern int ndrx_nr_chars(char *str, char character);
extern int ndrx_isint(char *str);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
