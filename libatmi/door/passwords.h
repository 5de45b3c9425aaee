/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwords.h - the file of passwords: names, and hashes by Argon2id
 *
 * A line is NAME:HASH, the hash in the form of libsodium, which has its salt
 * and its cost in it. The file belongs to the domain's user, and nobody else
 * may read it. It is replaced as a whole: a reader never sees half of a change,
 * a writer that is killed leaves the former file.
 */
#ifndef OW_PASSWORDS_H
#define OW_PASSWORDS_H

#include <stdbool.h>
#include <stddef.h>

enum ow_passwords_result {
	OW_PASSWORDS_WRONG = 1, /* no such name, or another password */
	OW_PASSWORDS_BLIND = 2, /* libsodium cannot be loaded */
};

/* Is it the password of `name`? 0, WRONG, BLIND, -EPERM (base/owned.h), -errno.
 * Takes about as long for a name that is not there. 64 MiB, tenths of a
 * second. */
int ow_passwords_check(const char *path, const char *name,
		       const char *password);
/* Set the password; NULL: remove the name (WRONG: it is not there). Makes the
 * file. */
int ow_passwords_set(const char *path, const char *name,
		     const char *password);
/* Call `fn` for each name: 0, -errno. */
int ow_passwords_each(const char *path, void (*fn)(const char *name, void *arg),
		      void *arg);
/* 1 to 31 characters, no control characters, no colon, no blank at an end. */
bool ow_passwords_name_ok(const char *name);

#endif
