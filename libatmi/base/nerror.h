/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.h - set Nerror, from public functions only
 *
 * For logging and configuration; works as tperror.h does.
 */
#ifndef OW_NERROR_H
#define OW_NERROR_H

#include <nerror.h>

#define OW_N_DETAIL 256 /* bytes of a detail text, with NUL */

/* Nerror and its detail, while they are of no thread. */
struct ow_n_state {
	int err;
	char detail[OW_N_DETAIL]; /* if err is not NMINVAL */
};

/* Set Nerror and its detail. Always -1. */
int ow_n_fail(int nerr, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Move the thread's state to *s; it has no error then. */
void ow_n_state_take(struct ow_n_state *s);
/* Make *s the state of the thread. */
void ow_n_state_put(const struct ow_n_state *s);

#endif
