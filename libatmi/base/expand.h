/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.h - text with variables and encrypted values put in
 */
#ifndef OW_EXPAND_H
#define OW_EXPAND_H

#include <stddef.h>

#include "libubf/base/cconfig.h"

/* ow_expand(): a value cannot be decrypted. */
#define OW_EXPAND_ENCRYPTED 1

/*
 * Copy `in` with each ${NAME} replaced by the variable's value (unset: by
 * nothing), and ${dec=TEXT} decrypted; \${ is a plain ${. 0; -E2BIG: `out` is
 * too small; -EINVAL: no closing brace; OW_EXPAND_ENCRYPTED with the reason in
 * `why`. `out` ends with a NUL in every case.
 */
int ow_expand(const char *in, char *out, size_t size,
	      char why[OW_CCONFIG_WHY]);

#endif
