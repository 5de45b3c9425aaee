/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cipher.h - bytes, encrypted and authenticated
 *
 * AES-128-CBC with a random initialisation vector, then HMAC-SHA-256 over both:
 * CBC alone would let anybody change bits unseen, and a program that says
 * whether a text decrypts would reveal texts byte by byte. Nothing is decrypted
 * before the tag is found right. Both keys come from the key text by SHA-256.
 *
 *	16 bytes vector | text, padded to a multiple of 16 | 32 bytes tag
 *
 * OpenSSL's libcrypto computes; it is loaded when it is first needed.
 */
#ifndef OW_CIPHER_H
#define OW_CIPHER_H

#include <stddef.h>
#include <stdint.h>

/* What is longer than the text. */
#define OW_CIPHER_VECTOR 16
#define OW_CIPHER_TAG	 32

struct ow_cipher_key {
	uint8_t aes[16], mac[32];
};

/* Bytes that `len` bytes become. */
static inline size_t ow_cipher_size(size_t len)
{
	return OW_CIPHER_VECTOR + (len / 16 + 1) * 16 + OW_CIPHER_TAG;
}

/* The keys that belong to a text: 0; -ENOSYS, the library is not there. */
int ow_cipher_key(const char *text, struct ow_cipher_key *ret);
/* `to` has ow_cipher_size(len) bytes: 0, -ENOSYS, -ENOMEM. */
int ow_cipher_encrypt(const struct ow_cipher_key *key, const void *from,
		      size_t len, uint8_t *to);
/* `to` has len - 48 bytes: 0 with *ret_len; -EBADMSG, not encrypted with this
 * key, or changed since; -ENOSYS, -ENOMEM. */
int ow_cipher_decrypt(const struct ow_cipher_key *key, const uint8_t *from,
		      size_t len, uint8_t *to, size_t *ret_len);

#endif
