/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.h - convert a value from one field type to another
 *
 * Numbers, text and pointers convert in all directions; an embedded buffer or
 * view only to itself. A char is an unsigned number, or one byte of text. A
 * number that does not fit wraps as C casts do; a real that fits no long
 * becomes the nearest long, NaN 0. Text that is no number is 0. A carray ends
 * at its first NUL when it becomes a string.
 */
#ifndef OW_UBF_CONV_H
#define OW_UBF_CONV_H

#include <stdint.h>

#include "libubf/base/numtext.h"
#include "libubf/convert/val.h"

/* The result: `val` points into `small` or at the source. Of a string the
 * last byte (its NUL) may be missing there: write it yourself. */
struct ow_ubf_conv {
	struct ow_ubf_val val;
	union {
		uint64_t word;
		char text[OW_NUMTEXT_MAX];
	} small;
};

/* 0, -EOPNOTSUPP (no such conversion) or -EPROTOTYPE (no such type). */
int ow_ubf_convert(unsigned int from, struct ow_ubf_val v, unsigned int to,
		   struct ow_ubf_conv *c);
/* A number, or a pointer, as a carray from which the same value can be made
 * again; of reals that may take more decimals than a conversion has. */
void ow_ubf_exact_text(unsigned int from, struct ow_ubf_val v,
		       struct ow_ubf_conv *c);

#endif
