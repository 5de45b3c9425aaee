/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwords.c - the file of passwords: names, and hashes by Argon2id
 */
#include "libatmi/door/passwords.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/libsodium.h"
#include "libatmi/base/owned.h"
#include "libatmi/door/callers.h"
#include "libubf/base/cleanup.h"

#define LINE_SIZE (crypto_pwhash_STRBYTES + OW_LOGIN_NAME + 2)
#define PATH_SIZE 4200

static void closep(FILE **f)
{
	if (*f != NULL)
		fclose(*f);
}

static void close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

bool ow_passwords_name_ok(const char *name)
{
	size_t i, n = strlen(name);

	if (n == 0 || n >= OW_LOGIN_NAME || name[0] == ' ' ||
	    name[n - 1] == ' ')
		return false;
	for (i = 0; i < n; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 127 ||
		    name[i] == ':')
			return false;
	return true;
}

/* Only the domain's user may read it. */
static int open_file(const char *path, FILE **ret)
{
	struct stat st;
	int r = ow_owned_fopen(path, ret);

	if (r != 0)
		return r;
	if (fstat(fileno(*ret), &st) == 0 && (st.st_mode & 077) == 0)
		return 0;
	fclose(*ret);
	*ret = NULL;
	return -EACCES;
}

/* The hash in a line of `name`; NULL: the line is another's. */
static const char *hash_in(char *line, const char *name)
{
	size_t n = strlen(name);

	line[strcspn(line, "\n")] = '\0';
	return strncmp(line, name, n) == 0 && line[n] == ':' ? line + n + 1
							     : NULL;
}

/* 0 with the hash, WRONG, -errno. */
static int find_hash(const char *path, const char *name, char *ret)
{
	OW_CLEANUP(closep) FILE *f = NULL;
	char line[LINE_SIZE + 1];
	const char *hash;
	int r = open_file(path, &f);

	if (r != 0)
		return r;
	while (fgets(line, sizeof(line), f) != NULL) {
		hash = hash_in(line, name);
		if (hash == NULL)
			continue;
		snprintf(ret, crypto_pwhash_STRBYTES, "%s", hash);
		return 0;
	}
	return OW_PASSWORDS_WRONG;
}

int ow_passwords_check(const char *path, const char *name,
		       const char *password)
{
	/* Of no password. Its cost is that of the others. */
	static const char nobody[] =
	    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
	const struct ow_libsodium *lib = ow_libsodium();
	char hash[crypto_pwhash_STRBYTES] = "";
	int r = ow_passwords_name_ok(name) ? find_hash(path, name, hash)
					   : OW_PASSWORDS_WRONG;

	if (lib == NULL)
		return OW_PASSWORDS_BLIND;
	if (r < 0)
		return r;
	if (r != 0)
		memcpy(hash, nobody, sizeof(nobody));
	if (lib->crypto_pwhash_str_verify(hash, password, strlen(password)) !=
	    0)
		r = OW_PASSWORDS_WRONG;
	return r;
}

/* ---- changed ---- */

static int make_line(const char *name, const char *password, FILE *out)
{
	const struct ow_libsodium *lib = ow_libsodium();
	char hash[crypto_pwhash_STRBYTES];

	if (lib == NULL)
		return OW_PASSWORDS_BLIND;
	if (lib->crypto_pwhash_str(hash, password, strlen(password),
				   crypto_pwhash_OPSLIMIT_INTERACTIVE,
				   crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
		return -ENOMEM;
	fprintf(out, "%s:%s\n", name, hash);
	return 0;
}

/* Copy all lines but that of `name`; *ret_found: it was there. */
static int copy_others(const char *path, const char *name, FILE *out,
		       bool *ret_found)
{
	OW_CLEANUP(closep) FILE *f = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	size_t room = 0;
	int r = open_file(path, &f);

	*ret_found = false;
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return r;
	while (getline(&line, &room, f) > 0) {
		if (hash_in(line, name) != NULL)
			*ret_found = true;
		else /* its end of line may be missing */
			fprintf(out, "%s\n", line);
	}
	return ferror(f) ? -EIO : 0;
}

static int write_new(const char *path, const char *name, const char *password,
		     FILE *out)
{
	bool found = false;
	int r = copy_others(path, name, out, &found);

	if (r == 0 && password != NULL)
		r = make_line(name, password, out);
	else if (r == 0 && !found)
		r = OW_PASSWORDS_WRONG;
	if (r == 0 && (fflush(out) != 0 || fsync(fileno(out)) != 0))
		r = -errno;
	if (r == 0 && ferror(out)) /* there was no room for a while */
		r = -ENOSPC;
	return r;
}

/* Of several writers one goes on: the lock is that of the folder. */
static int lock_folder(const char *path, int *ret_fd)
{
	char folder[PATH_SIZE];
	const char *end = strrchr(path, '/');
	int fd;

	if (end == NULL)
		snprintf(folder, sizeof(folder), ".");
	else
		snprintf(folder, sizeof(folder), "%.*s/", (int)(end - path),
			 path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return flock(fd, LOCK_EX) < 0 ? -errno : 0;
}

int ow_passwords_set(const char *path, const char *name, const char *password)
{
	OW_CLEANUP(close_fdp) int lock = -1;
	OW_CLEANUP(closep) FILE *out = NULL;
	char next[PATH_SIZE];
	int fd, r;

	if (!ow_passwords_name_ok(name))
		return -EINVAL;
	if (snprintf(next, sizeof(next), "%s.new", path) >=
	    (int)sizeof(next))
		return -ENAMETOOLONG;
	r = lock_folder(path, &lock);
	if (r != 0)
		return r;
	unlink(next); /* of a writer that was killed */
	fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out == NULL)
		return -errno;
	r = write_new(path, name, password, out);
	if (r == 0 && rename(next, path) < 0)
		r = -errno;
	if (r != 0)
		unlink(next);
	return r;
}

int ow_passwords_each(const char *path, void (*fn)(const char *name, void *arg),
		      void *arg)
{
	OW_CLEANUP(closep) FILE *f = NULL;
	char line[LINE_SIZE + 1];
	int r = open_file(path, &f);

	if (r != 0)
		return r;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, ":\n")] = '\0';
		if (ow_passwords_name_ok(line))
			fn(line, arg);
	}
	return 0;
}
