/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encrypted.h - ${dec=TEXT}: values of configurations that are encrypted
 *
 * TEXT is what exencrypt(8) prints: base64 of what tpencrypt() makes. The key
 * is found anew for each value (libatmi/base/secret.h), so that a key that was
 * put right counts at the next reload. What a value says stands in no message
 * and no log.
 *
 * The ini configuration is read by libubf, a layer below: this file gives it
 * the function when the library is loaded, before [@global] is read.
 */
#ifndef OW_ENCRYPTED_H
#define OW_ENCRYPTED_H

#include <stdbool.h>
#include <stddef.h>

#include "libubf/base/cconfig.h"

/* What `len` characters of base64 stand for: 0 with *ret, to be freed; -1 with
 * the reason in `why`. */
int ow_encrypted_value(const char *text, size_t len, char **ret,
		       char why[OW_CCONFIG_WHY]);
/* Is the name between ${ and } that of an encrypted value? */
bool ow_encrypted_is(const char *name);
#define OW_ENCRYPTED_MARK "dec="

#endif
