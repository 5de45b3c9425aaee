/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.h - errors of the base functions (logging, configuration)
 */
#ifndef NERROR_H
#define NERROR_H

#define NMINVAL	    0
#define NEINVALINI  1 /* bad configuration file */
#define NEMALLOC    2
#define NEUNIX	    3 /* errno tells */
#define NEINVAL	    4 /* bad argument */
#define NESYSTEM    5
#define NEMANDATORY 6 /* a mandatory key is missing */
#define NEFORMAT    7 /* bad format of a value */
#define NMAXVAL	    7

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* This thread's last error. (ours) */
extern int *_Nget_Nerror_addr(void);
#define Nerror (*_Nget_Nerror_addr())

/* "7:NEFORMAT", with its detail for the current error; valid until the
 * thread's next call. Necodestr(): the name only, static. (ours) */
extern char *Nstrerror(int err);
extern char *Necodestr(int err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
