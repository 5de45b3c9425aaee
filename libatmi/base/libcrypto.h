/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto.h - the functions of OpenSSL, loaded when one is first needed
 */
#ifndef OW_LIBCRYPTO_H
#define OW_LIBCRYPTO_H

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define OW_LIBCRYPTO_FUNCTIONS(X) \
	X(EVP_CIPHER_CTX_new) \
	X(EVP_CIPHER_CTX_free) \
	X(EVP_CipherInit_ex) \
	X(EVP_CipherUpdate) \
	X(EVP_CipherFinal_ex) \
	X(EVP_Digest) \
	X(EVP_aes_128_cbc) \
	X(EVP_sha256) \
	X(HMAC)

struct ow_libcrypto {
#define X(name) __typeof__(name) *name;
	OW_LIBCRYPTO_FUNCTIONS(X)
#undef X
};

/* NULL: it cannot be loaded. */
const struct ow_libcrypto *ow_libcrypto(void);

#endif
