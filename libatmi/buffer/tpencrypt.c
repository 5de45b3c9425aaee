/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpencrypt.c - encrypt and decrypt data of the program
 *
 * The key is found at the first use and kept for the life of the process.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/cipher.h"
#include "libatmi/base/secret.h"
#include "libatmi/base/tperror.h"
#include "libatmi/log/log.h"
#include "libubf/base/base64.h"
#include "libubf/base/cleanup.h"

static struct {
	pthread_once_t once;
	int result; /* of finding it: 0, -1 with `why`, -errno */
	char why[512];
	struct ow_cipher_key key;
} g_key = { .once = PTHREAD_ONCE_INIT };

static void find_key(void)
{
	char text[OW_SECRET_MAX];
	bool is_known = false;

	g_key.result = ow_secret_get(text, &is_known, g_key.why,
				     sizeof(g_key.why));
	if (g_key.result == 0)
		g_key.result = ow_cipher_key(text, &g_key.key);
	if (g_key.result == 0 && is_known)
		log_warn("encryption: the key is made of user and host, which "
			 "others know: set NDRX_ENCKEYFILE");
	explicit_bzero(text, sizeof(text));
}

static int fail(int r)
{
	if (r == -ENOSYS)
		return ow_tp_fail(TPEOS, "libcrypto (OpenSSL 3) is not "
				  "installed");
	return ow_tp_fail(TPEOS, "no memory to encrypt");
}

static int need_key(void)
{
	pthread_once(&g_key.once, find_key);
	if (g_key.result == -1)
		return ow_tp_fail(TPEOS, "%s", g_key.why);
	return g_key.result != 0 ? fail(g_key.result) : 0;
}

static int check(const char *input, long ilen, const char *output,
		 const long *olen, long flags)
{
	if (input == NULL || output == NULL || olen == NULL)
		return ow_tp_fail(TPEINVAL, "input, output or olen is NULL");
	if (flags & ~(long)TPEX_STRING)
		return ow_tp_fail(TPEINVAL, "unknown flags");
	if (ilen < 0 || *olen < 0)
		return ow_tp_fail(TPEINVAL, "a length is negative");
	return 0;
}

/* Is there room for `need` bytes? *olen becomes that number. */
static int check_room(size_t need, long *olen)
{
	long room = *olen;

	*olen = (long)need;
	if ((size_t)room >= need)
		return 0;
	return ow_tp_fail(TPELIMIT, "the result takes %zu bytes, there are "
			  "%ld", need, room);
}

int tpencrypt(char *input, long ilen, char *output, long *olen, long flags)
{
	bool text = (flags & TPEX_STRING) != 0;
	OW_CLEANUP(ow_cleanup_freep) char *made = NULL;
	size_t len, n;
	int r;

	ow_tp_clear();
	if (check(input, ilen, output, olen, flags) != 0)
		return -1;
	len = text && ilen == 0 ? strlen(input) : (size_t)ilen;
	n = ow_cipher_size(len);
	if (check_room(text ? ow_base64_size(n) + 1 : n, olen) != 0 ||
	    need_key() != 0)
		return -1;
	made = malloc(n);
	r = made != NULL ? ow_cipher_encrypt(&g_key.key, input, len,
					     (uint8_t *)made)
			 : -ENOMEM;
	if (r != 0)
		return fail(r);
	if (!text) {
		memcpy(output, made, n);
		return 0;
	}
	ow_base64_encode(output, made, n);
	output[ow_base64_size(n)] = '\0';
	return 0;
}

/* The bytes that text of base64 stands for: their number, or -1. */
static ssize_t bytes_of(const char *input, size_t len, char **ret)
{
	ssize_t n;

	*ret = malloc(len + 1);
	if (*ret == NULL)
		return ow_tp_fail(TPEOS, "no memory to decrypt");
	n = ow_base64_decode(*ret, input, len);
	return n >= 0 ? n : ow_tp_fail(TPEINVAL, "not base64");
}

/* Decrypt `n` bytes where they lie: their number then, or -1. */
static ssize_t decrypt(char *bytes, size_t n)
{
	size_t len = 0;
	char *made;
	int r;

	if (need_key() != 0)
		return -1;
	made = malloc(n + 1);
	r = made != NULL ? ow_cipher_decrypt(&g_key.key, (uint8_t *)bytes, n,
					     (uint8_t *)made, &len)
			 : -ENOMEM;
	if (r == 0)
		memcpy(bytes, made, len);
	if (made != NULL)
		explicit_bzero(made, n);
	free(made);
	if (r == -EBADMSG)
		return ow_tp_fail(TPEINVAL, "not encrypted with this key, or "
				  "changed since");
	return r == 0 ? (ssize_t)len : fail(r);
}

int tpdecrypt(char *input, long ilen, char *output, long *olen, long flags)
{
	bool text = (flags & TPEX_STRING) != 0;
	OW_CLEANUP(ow_cleanup_freep) char *bytes = NULL;
	size_t len;
	ssize_t n;

	ow_tp_clear();
	if (check(input, ilen, output, olen, flags) != 0)
		return -1;
	len = text ? strlen(input) : (size_t)ilen;
	if (text) {
		n = bytes_of(input, len, &bytes);
	} else {
		bytes = malloc(len + 1);
		if (bytes == NULL)
			return ow_tp_fail(TPEOS, "no memory to decrypt");
		memcpy(bytes, input, len);
		n = (ssize_t)len;
	}
	n = n < 0 ? -1 : decrypt(bytes, (size_t)n);
	if (n < 0)
		return -1;
	bytes[n] = '\0';
	if (check_room((size_t)n + (text ? 1 : 0), olen) != 0)
		return -1;
	memcpy(output, bytes, (size_t)*olen);
	return 0;
}
