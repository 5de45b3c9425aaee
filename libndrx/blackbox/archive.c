/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.c - a report: files in one file, as tar and gzip have it
 */
#include "libndrx/blackbox/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "libndrx/blackbox/file.h"

#define BLOCK 512u
#define PIECE 65536u

/* The head of a file, of POSIX 1003.1 (ustar). Numbers are octal text. */
struct tar_head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12];
	char sum[8], type, link[100], magic[6], version[2];
	char user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct tar_head) == BLOCK, "a block");

struct ow_bb_archive {
	gzFile gz;
	int fd; /* a second one, to sync it */
	uint64_t size, done; /* of the file that is written */
	int failed;
};

int ow_bb_archive_make(const char *path, struct ow_bb_archive **ret)
{
	struct ow_bb_archive *a = calloc(1, sizeof(*a));
	int fd, e;

	if (a == NULL)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	e = fd < 0 ? errno : 0;
	a->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && a->fd < 0)
		e = errno;
	a->gz = a->fd < 0 ? NULL : gzdopen(fd, "wb6");
	if (a->gz != NULL) {
		*ret = a;
		return 0;
	}
	if (fd >= 0) { /* it is ours, and it would stay empty */
		unlink(path);
		close(fd);
	}
	if (a->fd >= 0)
		close(a->fd);
	free(a);
	return e != 0 ? -e : -ENOMEM;
}

static void put(struct ow_bb_archive *a, const void *bytes, size_t n)
{
	if (n > 0 && a->failed == 0 &&
	    gzwrite(a->gz, bytes, (unsigned int)n) != (int)n)
		a->failed = errno != 0 ? -errno : -EIO;
}

static void pad(struct ow_bb_archive *a)
{
	static const char zeros[BLOCK];
	size_t over = (size_t)(a->size % BLOCK);

	if (over > 0)
		put(a, zeros, BLOCK - over);
}

int ow_bb_archive_begin(struct ow_bb_archive *a, const char *name,
			uint64_t size)
{
	struct tar_head h = { .type = '0', .magic = "ustar" };
	const unsigned char *p = (const unsigned char *)&h;
	unsigned int sum = 0;
	size_t i;

	snprintf(h.name, sizeof(h.name), "%s", name);
	snprintf(h.mode, sizeof(h.mode), "%07o", 0600u);
	snprintf(h.uid, sizeof(h.uid), "%07o", 0u);
	snprintf(h.gid, sizeof(h.gid), "%07o", 0u);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo",
		 (unsigned long long)time(NULL));
	memcpy(h.version, "00", 2);
	memset(h.sum, ' ', sizeof(h.sum));
	for (i = 0; i < sizeof(h); i++)
		sum += p[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	put(a, &h, sizeof(h));
	a->size = size;
	a->done = 0;
	if (size == 0)
		pad(a);
	return a->failed;
}

int ow_bb_archive_more(struct ow_bb_archive *a, const void *bytes, size_t n)
{
	if (n > a->size - a->done)
		n = (size_t)(a->size - a->done);
	put(a, bytes, n);
	a->done += n;
	if (n > 0 && a->done == a->size)
		pad(a);
	return a->failed;
}

int ow_bb_archive_add(struct ow_bb_archive *a, const char *name,
		      const void *bytes, size_t n)
{
	int r = ow_bb_archive_begin(a, name, n);

	return r == 0 ? ow_bb_archive_more(a, bytes, n) : r;
}

int ow_bb_archive_close(struct ow_bb_archive *a)
{
	static const char zeros[2 * BLOCK];
	int r, z;

	put(a, zeros, sizeof(zeros));
	r = a->failed;
	errno = 0;
	z = gzclose(a->gz);
	if (z != Z_OK && r == 0)
		r = z == Z_ERRNO && errno != 0 ? -errno : -EIO;
	if (r == 0 && fsync(a->fd) < 0)
		r = -errno;
	close(a->fd);
	free(a);
	return r;
}

/* ---- reading ---- */

/* `size` bytes to `fd`, or past them: 0 or -errno. */
static int copy(gzFile gz, uint64_t size, int fd)
{
	uint64_t left = (size + BLOCK - 1) / BLOCK * BLOCK, take;
	char piece[PIECE];
	unsigned int n;

	while (left > 0) {
		n = left < PIECE ? (unsigned int)left : PIECE;
		if (gzread(gz, piece, n) != (int)n)
			return -EBADMSG;
		take = size < n ? size : n;
		if (fd >= 0 && write(fd, piece, take) != (ssize_t)take)
			return -EIO;
		left -= n;
		size -= take;
	}
	return 0;
}

/* Copy the member `name` to `fd`: 0; -ENOENT; -EBADMSG, it is no archive. */
static int extract(gzFile gz, const char *name, int fd)
{
	struct tar_head h;
	uint64_t size;
	char *end;
	int r;

	while (gzread(gz, &h, sizeof(h)) == (int)sizeof(h) &&
	       h.name[0] != '\0') {
		if (memcmp(h.magic, "ustar", 5) != 0)
			return -EBADMSG;
		h.size[sizeof(h.size) - 1] = '\0';
		h.name[sizeof(h.name) - 1] = '\0';
		size = strtoull(h.size, &end, 8);
		if (strcmp(h.name, name) == 0)
			return copy(gz, size, fd);
		r = copy(gz, size, -1);
		if (r != 0)
			return r;
	}
	return -ENOENT;
}

int ow_bb_open_report(const char *path, struct ow_bb_file **ret, char *why,
		      size_t size)
{
	gzFile gz = gzopen(path, "rbe");
	int fd, r;

	if (gz == NULL) {
		r = errno != 0 ? -errno : -ENOMEM;
		snprintf(why, size, "%s: %s", path, strerror(-r));
		return r;
	}
	fd = memfd_create("report", MFD_CLOEXEC);
	r = fd < 0 ? -errno : extract(gz, OW_BB_MEMBER, fd);
	gzclose(gz);
	if (r == 0) {
		r = ow_bb_open_fd(fd, ret); /* takes fd */
	} else if (fd >= 0) {
		close(fd);
	}
	if (r != 0)
		snprintf(why, size, "%s: %s", path,
			 r == -ENOENT	 ? "it has no black box"
			 : r == -EBADMSG ? "no report, or it is damaged"
					 : strerror(-r));
	return r;
}
