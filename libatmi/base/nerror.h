/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.h - setting Nerror, from public functions of logging and
 * configuration only; the pattern of tperror.h
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
