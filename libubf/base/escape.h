/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - undo the escapes of printed values
 */
#ifndef OW_UBF_ESCAPE_H
#define OW_UBF_ESCAPE_H

#include <stddef.h>

/* Turn \xx and \\ of n bytes into the bytes they stand for, and append a NUL.
 * `to` has room for n + 1 bytes and may be `from`. Returns the length, or -1
 * if an escape is malformed. */
long ow_ubf_unescape(char *to, const char *from, size_t n);

#endif
