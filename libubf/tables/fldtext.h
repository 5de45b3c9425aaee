/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtext.h - the name of a field in messages
 */
#ifndef OW_UBF_FLDTEXT_H
#define OW_UBF_FLDTEXT_H

#include <ubf.h>

struct ow_fldtext {
	char s[UBFFLDMAX + 1];
};

/* The name of a field if the tables are loaded and have it, else its id. Used
 * as in printf("field %s", ow_fldtext(id).s). */
struct ow_fldtext ow_fldtext(BFLDID id) __attribute__((cold));

#endif
