/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encrypted.h - ${dec=TEXT}: values of configurations that are encrypted
 *
 * TEXT is what exencrypt(8) prints: base64 of what tpencrypt() makes. The key is
 * found once for all values of a file or an environment (libatmi/base/secret.h):
 * a command may give it, which takes its time, and a key that was put right counts
 * at the next reload. What a value says stands in no message and no log.
 *
 * The ini configuration is read by libubf, a layer below: this file gives it
 * the function when the library is loaded, before [@global] is read.
 */
#ifndef OW_ENCRYPTED_H
#define OW_ENCRYPTED_H

#include <stdbool.h>
#include <stddef.h>

#include "libatmi/base/cipher.h"
#include "libubf/base/cconfig.h"

/* The key of the values that are read together: all zero at first, and looked for when
 * the first value is. Used by one thread. */
struct ow_encrypted_key {
	bool is_tried;
	int result;		  /* 0, or -1 with `why` */
	char why[OW_CCONFIG_WHY];
	struct ow_cipher_key key;
};

/* The values have been read: all zero again. */
void ow_encrypted_forget(struct ow_encrypted_key *k);
/* What `len` characters of base64 stand for: 0 with *ret, to be freed; -1 with
 * the reason in `why`. `k`: NULL, the key of this value alone. */
int ow_encrypted_value(struct ow_encrypted_key *k, const char *text, size_t len,
		       char **ret, char why[OW_CCONFIG_WHY]);
/* Is the name between ${ and } that of an encrypted value? */
bool ow_encrypted_is(const char *name);
#define OW_ENCRYPTED_MARK "dec="

#endif
