/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - order of two values of one type
 */
#ifndef OW_UBF_COMPARE_H
#define OW_UBF_COMPARE_H

#include "libubf/store/layout.h"

/* -1, 0 or 1. Numbers by value, strings and carrays by bytes, embedded buffers
 * as Bcmp() does. */
int ow_ubf_compare(unsigned int type, struct ow_ubf_val a,
		   struct ow_ubf_val b);

#endif
