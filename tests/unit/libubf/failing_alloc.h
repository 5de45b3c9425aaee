/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing_alloc.h - the n-th allocation of the library fails
 *
 * Include it in one source file of a program. The linker (CMakeLists.txt)
 * redirects the calls of the library to these functions; calls within the C
 * library are not affected.
 */
#ifndef OW_UBF_TEST_FAILING_ALLOC_H
#define OW_UBF_TEST_FAILING_ALLOC_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
ssize_t __real_getline(char **line, size_t *cap, FILE *f);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
int __wrap_asprintf(char **to, const char *fmt, ...);
ssize_t __wrap_getline(char **line, size_t *cap, FILE *f);

static long countdown = -1;	/* allocations until one fails; -1: never */

static int fails(void)
{
	if (countdown < 0 || countdown-- > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

int __wrap_asprintf(char **to, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (fails())
		return -1;
	va_start(ap, fmt);
	n = vasprintf(to, fmt, ap);
	va_end(ap);
	return n;
}

ssize_t __wrap_getline(char **line, size_t *cap, FILE *f)
{
	return fails() ? -1 : __real_getline(line, cap, f);
}

#endif
