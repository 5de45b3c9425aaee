/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - undo the escapes of printed values
 */
#ifndef OW_UBF_ESCAPE_H
#define OW_UBF_ESCAPE_H

/* \xx and \\ become bytes, in place; length, or -1 if one is malformed. */
long ow_ubf_unescape(char *s);

#endif
