/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cipher.c - bytes, encrypted and authenticated
 */
#include "libatmi/base/cipher.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "libatmi/base/libcrypto.h"

/* SHA-256 of "PURPOSE:TEXT". */
static bool digest(const struct ow_libcrypto *c, const char *purpose,
		   const char *text, uint8_t to[32])
{
	size_t n = strlen(purpose) + 1 + strlen(text);
	char *all = malloc(n + 1);
	bool good;

	if (all == NULL)
		return false;
	snprintf(all, n + 1, "%s:%s", purpose, text);
	good = c->EVP_Digest(all, n, to, NULL, c->EVP_sha256(), NULL) == 1;
	explicit_bzero(all, n);
	free(all);
	return good;
}

int ow_cipher_key(const char *text, struct ow_cipher_key *ret)
{
	const struct ow_libcrypto *c = ow_libcrypto();
	uint8_t aes[32];

	if (c == NULL)
		return -ENOSYS;
	if (!digest(c, "onewake encryption", text, aes) ||
	    !digest(c, "onewake authentication", text, ret->mac))
		return -ENOMEM;
	memcpy(ret->aes, aes, sizeof(ret->aes));
	explicit_bzero(aes, sizeof(aes));
	return 0;
}

/* AES-128-CBC: 0 with *ret_len, -EBADMSG (padding), -ENOMEM. */
static int run(const struct ow_libcrypto *c, const struct ow_cipher_key *key,
	       const uint8_t *vector, bool encrypt, const void *from,
	       size_t len, uint8_t *to, size_t *ret_len)
{
	EVP_CIPHER_CTX *ctx = c->EVP_CIPHER_CTX_new();
	int n = 0, last = 0, r = -ENOMEM;

	if (ctx == NULL)
		return r;
	if (c->EVP_CipherInit_ex(ctx, c->EVP_aes_128_cbc(), NULL, key->aes,
				 vector, encrypt) == 1 &&
	    c->EVP_CipherUpdate(ctx, to, &n, from, (int)len) == 1)
		r = c->EVP_CipherFinal_ex(ctx, to + n, &last) == 1 ? 0
								   : -EBADMSG;
	c->EVP_CIPHER_CTX_free(ctx);
	if (r == 0)
		*ret_len = (size_t)n + (size_t)last;
	return r;
}

static bool sign(const struct ow_libcrypto *c, const struct ow_cipher_key *key,
		 const uint8_t *from, size_t len, uint8_t tag[OW_CIPHER_TAG])
{
	unsigned int n = 0;

	return c->HMAC(c->EVP_sha256(), key->mac, sizeof(key->mac), from, len,
		       tag, &n) != NULL &&
	       n == OW_CIPHER_TAG;
}

int ow_cipher_encrypt(const struct ow_cipher_key *key, const void *from,
		      size_t len, uint8_t *to)
{
	const struct ow_libcrypto *c = ow_libcrypto();
	uint8_t *text = to + OW_CIPHER_VECTOR;
	size_t n = 0;
	int r;

	if (c == NULL)
		return -ENOSYS;
	if (len > INT_MAX / 2 ||
	    getrandom(to, OW_CIPHER_VECTOR, 0) != OW_CIPHER_VECTOR)
		return -ENOMEM;
	r = run(c, key, to, true, from, len, text, &n);
	if (r == 0 && !sign(c, key, to, OW_CIPHER_VECTOR + n, text + n))
		r = -ENOMEM;
	return r;
}

/* Compare without telling by the time where they differ. */
static bool is_same(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint8_t differ = 0;

	while (len-- > 0)
		differ |= *a++ ^ *b++;
	return differ == 0;
}

int ow_cipher_decrypt(const struct ow_cipher_key *key, const uint8_t *from,
		      size_t len, uint8_t *to, size_t *ret_len)
{
	const struct ow_libcrypto *c = ow_libcrypto();
	uint8_t tag[OW_CIPHER_TAG];
	size_t text;

	if (c == NULL)
		return -ENOSYS;
	if (len < ow_cipher_size(0) || len > INT_MAX / 2)
		return -EBADMSG;
	text = len - OW_CIPHER_VECTOR - OW_CIPHER_TAG;
	if (!sign(c, key, from, len - OW_CIPHER_TAG, tag))
		return -ENOMEM;
	if (text % 16 != 0 ||
	    !is_same(tag, from + len - OW_CIPHER_TAG, sizeof(tag)))
		return -EBADMSG;
	return run(c, key, from, false, from + OW_CIPHER_VECTOR, text, to,
		   ret_len);
}
