/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.h - errors of logging and configuration functions
 */
#ifndef NERROR_H
#define NERROR_H

#define NMINVAL	    0
#define NEINVALINI  1 /* bad configuration file */
#define NEMALLOC    2
#define NEUNIX	    3 /* a system call failed, see errno */
#define NEINVAL	    4 /* bad argument */
#define NESYSTEM    5
#define NEMANDATORY 6 /* a mandatory key is missing */
#define NEFORMAT    7 /* bad format of a value */
#define NETOUT	    8 /* these are for programs: no function of ours fails so */
#define NENOCONN    9
#define NELIMIT	    10
#define NEPLUGIN    11
#define NENOSPACE   12
#define NEINVALKEY  13
#define NENOENT	    14
#define NEWRITE	    15
#define NEEXEC	    16
#define NESUPPORT   17
#define NEEXISTS    18
#define NEVERSION   19
#define NMAXVAL	    19

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The last error of this thread. (ours) */
extern int *_Nget_Nerror_addr(void);
#define Nerror (*_Nget_Nerror_addr())

/* Nstrerror() returns the text of an error code, "7:NEFORMAT", for the current
 * error with its detail; valid until the thread calls it again. Necodestr()
 * returns the name only, in static memory. (ours) */
extern char *Nstrerror(int err);
extern char *Necodestr(int err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
