/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encrypted.c - ${dec=TEXT}: values of configurations that are encrypted
 */
#include "libatmi/base/encrypted.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/cipher.h"
#include "libatmi/base/secret.h"
#include "libubf/base/base64.h"

static int fail(const char *what, char why[OW_CCONFIG_WHY])
{
	snprintf(why, OW_CCONFIG_WHY, "%s", what);
	return -1;
}

static int find_key(struct ow_cipher_key *ret, char why[OW_CCONFIG_WHY])
{
	char text[OW_SECRET_MAX];
	bool is_known = false;
	int r = ow_secret_get(text, &is_known, why, OW_CCONFIG_WHY);

	if (r == 0)
		r = ow_cipher_key(text, ret);
	explicit_bzero(text, sizeof(text));
	if (r == -ENOSYS)
		return fail("libcrypto (OpenSSL 3) is not installed", why);
	return r < -1 ? fail("no memory to decrypt", why) : r;
}

/* Decrypt `n` bytes into `plain`, which has room for as many: 0 or -1. */
static int decrypt(const uint8_t *bytes, size_t n, char *plain,
		   char why[OW_CCONFIG_WHY])
{
	struct ow_cipher_key key;
	size_t len = 0;
	int r = find_key(&key, why);

	if (r != 0)
		return r;
	r = ow_cipher_decrypt(&key, bytes, n, (uint8_t *)plain, &len);
	explicit_bzero(&key, sizeof(key));
	if (r == -EBADMSG)
		return fail("not encrypted with the key of this process, or "
			    "changed since", why);
	if (r != 0)
		return fail("no memory to decrypt", why);
	plain[len] = '\0';
	return strlen(plain) == len ? 0 : fail("it has a zero byte", why);
}

int ow_encrypted_value(const char *text, size_t len, char **ret,
		       char why[OW_CCONFIG_WHY])
{
	uint8_t *bytes = malloc(len + 1);
	char *plain = malloc(len + 1);
	ssize_t n = 0;
	int r;

	if (bytes == NULL || plain == NULL)
		r = fail("no memory to decrypt", why);
	else if ((n = ow_base64_decode(bytes, text, len)) < 0)
		r = fail("not base64, or cut off", why);
	else
		r = decrypt(bytes, (size_t)n, plain, why);
	free(bytes);
	if (r == 0) {
		*ret = plain;
		return 0;
	}
	if (plain != NULL)
		explicit_bzero(plain, len + 1);
	free(plain);
	return r;
}

bool ow_encrypted_is(const char *name)
{
	return strncmp(name, OW_ENCRYPTED_MARK, strlen(OW_ENCRYPTED_MARK)) ==
	       0;
}

/* Before those constructors that have no number. */
__attribute__((constructor(210))) static void give(void)
{
	ow_cconfig_decrypt_by(ow_encrypted_value);
}
