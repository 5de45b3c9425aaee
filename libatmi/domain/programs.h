/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - the client programs that ndrxd has started, found in /proc
 *
 * A program in <clients> need not call this library. It is recognised by its
 * environment: the domain, tag and sub-section, and in OW_PROGRAM_PID the
 * process's own pid, which ndrxd puts there between fork and exec. A child of
 * such a program inherits a pid that is not its own. The environment outlives
 * ndrxd and the domain's shared memory.
 */
#ifndef OW_PROGRAMS_H
#define OW_PROGRAMS_H

#include <sys/types.h>

#define OW_PROGRAM_PID "NDRX_CLTPID"

/* Call `found` for each such process of domain `prefix` (without "/") of this
 * user. The texts are valid during the call. It waits for processes that are
 * inside execve(), 2 seconds at most in all. */
void ow_programs_each(const char *prefix,
		      void (*found)(void *arg, pid_t pid, const char *tag,
				    const char *subsect),
		      void *arg);

#endif
