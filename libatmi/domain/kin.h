/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin.h - the client programs that a ndrxd of the domain has made
 *
 * They need not be clients of ours: any program can stand in <clients>. What
 * tells them from all others is their environment: the domain, tag and
 * sub-section, and in OW_KIN_PID the process's own number, which ndrxd puts
 * there between fork and exec. Their children inherit a number that is not
 * theirs. It outlives ndrxd, and the domain's memory.
 */
#ifndef OW_KIN_H
#define OW_KIN_H

#include <sys/types.h>

#define OW_KIN_PID "NDRX_CLTPID"

#pragma GCC visibility push(default)

/* Call `found` for each living one of domain `prefix` (without "/"), as far as
 * this user may look. The texts are valid during the call. */
void ow_kin_each(const char *prefix,
		 void (*found)(void *arg, pid_t pid, const char *tag,
			       const char *subsect),
		 void *arg);

#pragma GCC visibility pop
#endif
