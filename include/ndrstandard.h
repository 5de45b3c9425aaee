/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrstandard.h - constants and macros that programs for Enduro/X use
 *
 * xatmi.h and ndebug.h bring it.
 */
#ifndef NDRSTANDARD_H
#define NDRSTANDARD_H

#include <limits.h>
#include <ndrx_config.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Results and truth values */
#define EXSUCCEED 0
#define EXFAIL	  -1
#define EXTRUE	  1
#define EXFALSE	  0
#define EXEOS	  '\0' /* ends a string */

/* A signed number as wide as a pointer. */
typedef long ndrx_longptr_t;

/* Linkage: a function or variable of the program, of this source file. */
#define expublic
#define exprivate static

/* Defined where a pointer has 64 bits. */
#if ULONG_MAX > 0xffffffffUL
#define SYS64BIT
#endif

/* Set the variable `ret` to EXFAIL and go to the label `out`. */
#define EXFAIL_OUT(ret)             \
	{                           \
		(ret) = EXFAIL;     \
		goto out;           \
	}

/* Elements of an array; place and size of a member. */
#define N_DIM(array)		  (sizeof(array) / sizeof((array)[0]))
#define EXOFFSET(type, member)	  ((long)offsetof(type, member))
#define EXELEM_SIZE(type, member) (sizeof(((type *)0)->member))

/* Each argument may be evaluated twice. */
#define NDRX_MIN(a, b) ((a) < (b) ? (a) : (b))
#define NDRX_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Copy a string and end it with NUL; what has no room is cut off. The room is
 * that of the array `to`; of `size` bytes at `to`; of the array `to`, with `n`
 * bytes at most.
 */
#define NDRX_STRCPY_SAFE(to, from) \
	NDRX_STRCPY_SAFE_DST(to, from, sizeof(to))
#define NDRX_STRCPY_SAFE_DST(to, from, size) \
	ow_std_copy((to), (from), (size_t)(size), (size_t)-1)
#define NDRX_STRNCPY_SAFE(to, from, n) \
	ow_std_copy((to), (from), sizeof(to), (size_t)(n))

/* Append a string within the `size` bytes at `to`. */
#define NDRX_STRCAT_S(to, size, from) \
	ow_std_append((to), (size_t)(size), (from))

/* ---- For the macros above only ---- */

static __inline__ void ow_std_copy(char *to, const char *from, size_t size,
				   size_t n)
{
	const char *end;

	if (size == 0)
		return;
	if (n > size - 1)
		n = size - 1;
	end = (const char *)memchr(from, '\0', n);
	if (end != NULL)
		n = (size_t)(end - from);
	memmove(to, from, n);
	to[n] = '\0';
}

static __inline__ void ow_std_append(char *to, size_t size, const char *from)
{
	const char *end = (const char *)memchr(to, '\0', size);

	if (end != NULL)
		ow_std_copy(to + (end - to), from, size - (size_t)(end - to),
			    (size_t)-1);
}

#endif
