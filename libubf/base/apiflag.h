/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apiflag.h - the words of NDRX_APIFLAGS
 *
 * Words separated by commas or blanks: json_escape, ubf_ptrparse,
 * ubf_dupfidok. Exported for libatmi; not part of the public interface.
 */
#ifndef OW_UBF_APIFLAG_H
#define OW_UBF_APIFLAG_H

#include <stdbool.h>

/* Whether the variable has this word. */
bool ow_apiflag(const char *name);

#endif
