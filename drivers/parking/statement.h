/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.h - statements about the rows of decisions that all databases
 * understand
 */
#ifndef OW_PARKING_STATEMENT_H
#define OW_PARKING_STATEMENT_H

#include <xa.h>

#include "drivers/parking/key.h"

#define PARKING_STATEMENT (KEY_SIZE + 120) /* bytes of those without a list */

/* The outcome of `x`: one row at most, whether it was committed. */
void parking_select_outcome(const XID *x, char to[PARKING_STATEMENT]);
/* All decisions of the log of `x`: keys and words. */
void parking_select_all(const XID *x, char to[PARKING_STATEMENT]);
/* Remove what was decided of `n` transactions: malloc'ed, with what stands before
 * and behind it; NULL: no memory. */
char *parking_delete(const char *before, const XID *rows, int n,
		     const char *behind);

#endif
