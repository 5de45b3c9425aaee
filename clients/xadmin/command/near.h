/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.h - distance between two names, in typing errors
 */
#ifndef OW_NEAR_H
#define OW_NEAR_H

#define OW_NEAR_LEN 40 /* longer names are far from each other */
#define OW_NEAR_FAR 99 /* larger than any likely error */

/* Single-character edits (a swap of neighbours is one) from a to b. */
int ow_near_distance(const char *a, const char *b);

#endif
