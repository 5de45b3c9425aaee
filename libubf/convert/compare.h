/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - the order of two plain values of one type
 */
#ifndef OW_UBF_CONVERT_COMPARE_H
#define OW_UBF_CONVERT_COMPARE_H

#include "libubf/convert/val.h"

/* -1, 0 or 1, for any type but BFLD_UBF and BFLD_VIEW: numbers by value,
 * strings and carrays by bytes. NaN has no order: its bytes count. */
int ow_ubf_compare_plain(unsigned int type, struct ow_ubf_val a,
			 struct ow_ubf_val b);

#endif
