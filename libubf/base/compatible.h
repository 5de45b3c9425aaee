/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compatible.h - the word of NDRX_COMPAT
 *
 * Where Onewake does better than what a program was written for, the variable
 * brings back the other behaviour: strict-tuxedo, strict-enduro. Each point is a
 * row in doc/compatibility.md. It is read at each use, so a program may set it
 * before its first call. Not part of the public interface.
 */
#ifndef OW_UBF_COMPATIBLE_H
#define OW_UBF_COMPATIBLE_H

#include <stdbool.h>

/* All words, for <compat> and for messages. */
#define OW_COMPAT_WORDS "strict-tuxedo strict-enduro"

/* Whether the variable has one of the words, or none. */
bool ow_compat_is_known(void);
bool ow_compat_tuxedo(void);
bool ow_compat_enduro(void);

#endif
