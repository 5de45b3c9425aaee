/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys_mqueue.h - POSIX message queues, by the name that programs for Enduro/X
 * expect
 */
#ifndef SYS_MQUEUE_H
#define SYS_MQUEUE_H

#include <fcntl.h>
#include <mqueue.h>

#endif
