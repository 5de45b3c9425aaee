/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsodium.h - the functions of libsodium, loaded when one is first needed
 *
 * Only the gate and `xadmin passwd` need them.
 */
#ifndef OW_LIBSODIUM_H
#define OW_LIBSODIUM_H

#include <sodium/core.h>
#include <sodium/crypto_pwhash.h>

#define OW_LIBSODIUM_FUNCTIONS(X) \
	X(sodium_init) \
	X(crypto_pwhash_str) \
	X(crypto_pwhash_str_verify)

struct ow_libsodium {
#define X(name) __typeof__(name) *name;
	OW_LIBSODIUM_FUNCTIONS(X)
#undef X
};

/* NULL: it cannot be loaded. */
const struct ow_libsodium *ow_libsodium(void);

#endif
