/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys_unix.h - system headers that programs for Enduro/X expect by this name
 */
#ifndef SYS_UNIX_H
#define SYS_UNIX_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ndrstandard.h>

#endif
