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

static void find_key(struct ow_encrypted_key *k)
{
	char text[OW_SECRET_MAX];
	bool is_known = false;
	int r = ow_secret_get(text, &is_known, k->why, sizeof(k->why));

	if (r == 0)
		r = ow_cipher_key(text, &k->key);
	explicit_bzero(text, sizeof(text));
	if (r == -ENOSYS)
		r = fail("libcrypto (OpenSSL 3) is not installed", k->why);
	else if (r < -1)
		r = fail("no memory to decrypt", k->why);
	k->result = r;
	k->is_tried = true;
}

void ow_encrypted_forget(struct ow_encrypted_key *k)
{
	explicit_bzero(k, sizeof(*k));
}

/* Decrypt `n` bytes into `plain`, which has room for as many: 0 or -1. */
static int decrypt(struct ow_encrypted_key *k, const uint8_t *bytes, size_t n,
		   char *plain, char why[OW_CCONFIG_WHY])
{
	size_t len = 0;
	int r;

	if (!k->is_tried)
		find_key(k);
	if (k->result != 0)
		return fail(k->why, why);
	r = ow_cipher_decrypt(&k->key, bytes, n, (uint8_t *)plain, &len);
	if (r == -EBADMSG)
		return fail("not encrypted with the key of this process, or "
			    "changed since", why);
	if (r != 0)
		return fail("no memory to decrypt", why);
	plain[len] = '\0';
	return strlen(plain) == len ? 0 : fail("it has a zero byte", why);
}

int ow_encrypted_value(struct ow_encrypted_key *k, const char *text, size_t len,
		       char **ret, char why[OW_CCONFIG_WHY])
{
	struct ow_encrypted_key own = { .is_tried = false };
	uint8_t *bytes = malloc(len + 1);
	char *plain = malloc(len + 1);
	ssize_t n = 0;
	int r;

	if (bytes == NULL || plain == NULL)
		r = fail("no memory to decrypt", why);
	else if ((n = ow_base64_decode(bytes, text, len)) < 0)
		r = fail("not base64, or cut off", why);
	else
		r = decrypt(k != NULL ? k : &own, bytes, (size_t)n, plain, why);
	ow_encrypted_forget(&own);
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

/* ---- for the ini configuration ---- */

static int decrypt_item(void **key, const char *text, size_t len, char **ret,
			char why[OW_CCONFIG_WHY])
{
	if (*key == NULL)
		*key = calloc(1, sizeof(struct ow_encrypted_key));
	return ow_encrypted_value(*key, text, len, ret, why);
}

static void forget_key(void *key)
{
	ow_encrypted_forget(key);
	free(key);
}

/* Before those constructors that have no number. */
__attribute__((constructor(210))) static void give(void)
{
	ow_cconfig_decrypt_by(decrypt_item, forget_key);
}
