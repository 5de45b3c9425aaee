/* SPDX-License-Identifier: Apache-2.0 */
/*
 * localtime.h - local time that a forked child can ask for
 *
 * The C library's lock of time zones stays locked for ever in a child if
 * another thread held it at the fork. Ours is taken around it, and at forks.
 */
#ifndef OW_LOCALTIME_H
#define OW_LOCALTIME_H

#include <time.h>

/* localtime_r(). */
void ow_localtime(time_t sec, struct tm *ret_tm);

#endif
