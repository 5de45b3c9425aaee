/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usignal.h - handlers of signals that can be put off
 *
 *	UDEFERSIGS();		handlers wait from here on
 *	...
 *	URESUMESIGS();		and run here, if signals have come
 *
 * Sections nest: UGDEFERLEVEL() is their depth, USDEFERLEVEL(n) sets it, and
 * UENSURESIGS() ends all of them. Only handlers that Usignal() has set wait; they
 * get the number of the signal, once for all signals of it that have come. All of
 * this is of the process, not of the thread, and no function of this runtime
 * needs it. It is in this header alone: a library and a program that both
 * include it share it. (Tuxedo)
 */
#ifndef USIGNAL_H
#define USIGNAL_H

#include <signal.h>
#include <stddef.h>

#define OW_USIGNAL_MAX 65

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void (*ow_usignal_fn)(int sig);

__attribute__((weak)) volatile sig_atomic_t ow_usignal_level;
__attribute__((weak)) volatile sig_atomic_t ow_usignal_came[OW_USIGNAL_MAX];
__attribute__((weak)) ow_usignal_fn ow_usignal_set[OW_USIGNAL_MAX];

static __inline__ void ow_usignal_run(int sig)
{
	signal(sig, ow_usignal_run);
	if (ow_usignal_level > 0)
		ow_usignal_came[sig] = 1;
	else if (ow_usignal_set[sig] != NULL)
		ow_usignal_set[sig](sig);
}

static __inline__ void ow_usignal_go(int level)
{
	int sig;

	ow_usignal_level = level > 0 ? level : 0;
	for (sig = 1; sig < OW_USIGNAL_MAX && ow_usignal_level == 0; sig++) {
		if (ow_usignal_came[sig] == 0)
			continue;
		ow_usignal_came[sig] = 0;
		ow_usignal_run(sig);
	}
}

/* The type that programs have: in C a function with any parameters. */
#ifdef __cplusplus
typedef int (*ow_usignal_user)();
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef int (*ow_usignal_user)();
#pragma GCC diagnostic pop
#endif

/* Set the handler of a signal, SIG_IGN or SIG_DFL, cast to the type of this
 * function: what it was, or SIG_ERR. */
static __inline__ ow_usignal_user ow_usignal(int sig, ow_usignal_user func)
{
	ow_usignal_fn f = (ow_usignal_fn)(void (*)(void))func, was;

	if (sig <= 0 || sig >= OW_USIGNAL_MAX)
		return (ow_usignal_user)(void (*)(void))SIG_ERR;
	was = ow_usignal_set[sig];
	ow_usignal_set[sig] = f == SIG_IGN || f == SIG_DFL ? NULL : f;
	f = signal(sig, ow_usignal_set[sig] != NULL ? ow_usignal_run : f);
	if (f != ow_usignal_run)
		was = f;
	return (ow_usignal_user)(void (*)(void))was;
}

#define Usignal(sig, func)  ow_usignal(sig, func)
#define Usiginit()	    ((void)0) /* nothing to prepare */
#define UDEFERSIGS()	    ((void)(ow_usignal_level = ow_usignal_level + 1))
#define URESUMESIGS()	    ow_usignal_go(ow_usignal_level - 1)
#define UENSURESIGS()	    ow_usignal_go(0)
#define UGDEFERLEVEL()	    ((int)ow_usignal_level)
#define USDEFERLEVEL(level) ow_usignal_go(level)

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
