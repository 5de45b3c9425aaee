/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_id.h - which build of a program a file is
 */
#ifndef OW_BUILD_ID_H
#define OW_BUILD_ID_H

#include <stdbool.h>

#define OW_BUILD_ID 41 /* hexadecimal digits of 20 bytes, with NUL */

/* The id that the linker has put into the ELF file (--build-id). False: it has
 * none, or cannot be read; `ret` is "" then. */
bool ow_build_id(const char *path, char ret[OW_BUILD_ID]);

#endif
