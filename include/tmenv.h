/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmenv.h - compiler marks of Tuxedo's prototypes, which mean nothing on Linux,
 * and the name of a program in the userlog
 */
#ifndef TMENV_H
#define TMENV_H

#ifndef _TMDLLENTRY
#define _TMDLLENTRY
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Set by a program: stands in the lines of userlog() instead of the program's
 * name; NULL, the initial value: as if it were not there. Programs declare it
 * themselves; userlog.h does not, since others have variables of that name.
 * (Tuxedo)
 */
extern char *proc_name;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
