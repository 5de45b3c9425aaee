/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtext.h - a field as messages call it
 */
#ifndef OW_UBF_FLDTEXT_H
#define OW_UBF_FLDTEXT_H

#include <ubf.h>

struct ow_fldtext {
	char s[UBFFLDMAX + 1];
};

/* Its name, if the tables have been loaded and know it; else its id. Used in
 * calls, as in printf("field %s", ow_fldtext(id).s). */
struct ow_fldtext ow_fldtext(BFLDID id) __attribute__((cold));

#endif
