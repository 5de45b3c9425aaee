/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors.h - provoke the errors that the pages of section 3 promise
 *
 * FAILS(TPEINVAL, tpcall(NULL, ...)) makes the call. If it fails with this
 * error, the line "tpcall TPEINVAL" goes to standard output, from which
 * tests/e2e/014_manual_errors learns what was provoked; if not, the program
 * ends with status 1.
 */
#ifndef OW_ERRORS_H
#define OW_ERRORS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atmi.h>
#include <nerror.h>
#include <ubf.h>

#include "tests/man/examples/example.h"

#define FAILS(error, call) \
	(forget(), tell(#error, #call, error, (long)(call), __LINE__))

/* The same while there is no memory. */
#define FAILS_WITHOUT_MEMORY(error, call) \
	(forget(), no_memory = true, \
	 tell(#error, #call, error, (long)(call), __LINE__))

static bool no_memory;
static int wrong;

/* Allocations of the libraries are those of the program; sanitizers have
 * their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef FAILS_WITHOUT_MEMORY
#define FAILS_WITHOUT_MEMORY(error, call) ((void)no_memory, (void)sizeof(call))
#else
#define OW_SEEN __attribute__((visibility("default")))
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static inline bool refused(void)
{
	if (no_memory)
		errno = ENOMEM;
	return no_memory;
}

OW_SEEN void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

OW_SEEN void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : __libc_calloc(n, size);
}

OW_SEEN void *realloc(void *p, size_t size)
{
	return refused() ? NULL : __libc_realloc(p, size);
}
#endif

/* No error is there before the call. */
static inline void forget(void)
{
	no_memory = false;
	Berror = 0;
	tperrno = 0;
	Nerror = 0;
}

/* The error of the call, whose name says where it is kept. */
static inline int kept(const char *name, long result)
{
	if (strncmp(name, "TX_", 3) == 0)
		return (int)result;
	if (strncmp(name, "TP", 2) == 0)
		return tperrno;
	return strncmp(name, "NE", 2) == 0 ? Nerror : Berror;
}

static inline void tell(const char *name, const char *call, int want,
			long result, int line)
{
	int got = kept(name, result);

	no_memory = false;
	if (got == want && (result <= 0 || got == result)) {
		printf("%.*s %s\n", (int)strcspn(call, "("), call, name);
		fflush(stdout);
		return;
	}
	wrong = 1;
	fprintf(stderr, "line %d: %s: result %ld, %s, not %s\n", line, call,
		result, kept("B", 0) ? Bstrerror(Berror) : tpstrerror(tperrno),
		name);
}

/* Run a part of the program in a process of its own, with VARIABLE=value. */
static inline void with(const char *setting, void (*part)(void))
{
	char *copy = strdup(setting), *value = strchr(copy, '=');
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		*value++ = '\0';
		setenv(copy, value, 1);
		part();
		exit(wrong);
	}
	free(copy);
	waitpid(pid, &status, 0);
	wrong |= status != 0;
}

/* ---- buffers ---- */

static inline UBFH *shifted(UBFH *p)
{
	return (UBFH *)((char *)p + 1);
}

/* A buffer without room for long_text(). */
static inline UBFH *tiny(void)
{
	UBFH *p = malloc(64);

	EXPECT(p != NULL && Binit(p, 64) == 0);
	return p;
}

#endif
