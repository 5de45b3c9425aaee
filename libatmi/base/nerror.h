/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.h - set Nerror, from public functions only
 *
 * For logging and configuration; works as tperror.h does.
 */
#ifndef OW_NERROR_H
#define OW_NERROR_H

#include <nerror.h>

#pragma GCC visibility push(default)

/* Set Nerror and its detail. Always -1. */
int ow_n_fail(int nerr, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop
#endif
