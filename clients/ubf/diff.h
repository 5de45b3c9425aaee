/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - compare two buffers
 */
#ifndef OW_UBF_COMMAND_DIFF_H
#define OW_UBF_COMMAND_DIFF_H

#include <stdio.h>
#include <ubf.h>

/* Print the occurrences that only `a` has as "-", those that only `b` has as
 * "+", in the order of the buffers. 0 equal, 1 different, -1 after a
 * message. */
int diff(UBFH *a, UBFH *b, FILE *out);

#endif
