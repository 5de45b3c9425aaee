/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.h - convert a value from one field type to another
 *
 * Numbers, text and pointers convert in all directions; an embedded buffer or
 * view converts only to its own type. A char is an unsigned number, or one byte
 * of text. An integer that does not fit wraps as C casts do; a real beyond the
 * range of long becomes the nearest long, NaN becomes 0. Text that is no number
 * is 0. A carray that becomes a string ends at its first NUL.
 */
#ifndef OW_UBF_CONV_H
#define OW_UBF_CONV_H

#include <stdint.h>

#include "libubf/base/numtext.h"
#include "libubf/convert/val.h"

/* The result: `val` points into `small` or to the source. The NUL of a string
 * may be missing (val.h). */
struct ow_ubf_conv {
	struct ow_ubf_val val;
	union {
		uint64_t word;
		char text[OW_NUMTEXT_MAX];
	} small;
};

/* Does a value of type `from` convert to type `to`? 0, -EOPNOTSUPP (no such
 * conversion) or -EPROTOTYPE (no such type). To be asked before the value is
 * looked at: a value that does not convert may be no value at all. */
int ow_ubf_convertible(unsigned int from, unsigned int to);
/* Convert it: 0, or what ow_ubf_convertible() returns. */
int ow_ubf_convert(unsigned int from, struct ow_ubf_val v, unsigned int to,
		   struct ow_ubf_conv *c);
/* Write a number or pointer as a carray that converts back to the same value;
 * reals may need more decimals than ow_ubf_convert() writes. */
void ow_ubf_exact_text(unsigned int from, struct ow_ubf_val v,
		       struct ow_ubf_conv *c);

#endif
