/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watermark.c - how much of another file is known to be on disk
 */
#include "libndrx/storage/watermark.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libubf/base/crc32.h"

#define MAGIC UINT32_C(0x314d574f) /* "OWM1" */
#define MODE  0600

struct mark {
	uint32_t magic;
	uint32_t crc; /* of all that follows */
	uint64_t id, number, unused;
};

static uint32_t checksum(const struct mark *m)
{
	size_t from = offsetof(struct mark, id);

	return ow_crc32((const char *)m + from, sizeof(*m) - from);
}

static int write_mark(int fd, uint64_t id, uint64_t number)
{
	struct mark m = { .magic = MAGIC, .id = id, .number = number };
	ssize_t n;

	m.crc = checksum(&m);
	n = pwrite(fd, &m, sizeof(m), 0);
	if (n == (ssize_t)sizeof(m))
		return 0;
	return n < 0 ? -errno : -EIO;
}

int watermark_open(struct watermark *w, int folder, const char *name)
{
	struct mark m;
	struct stat st;
	ssize_t n;

	w->fd = openat(folder, name, O_RDWR | O_CLOEXEC);
	if (w->fd < 0)
		return errno == ENOENT ? WATERMARK_MISSING : -errno;
	n = pread(w->fd, &m, sizeof(m), 0);
	if (n < 0 || fstat(w->fd, &st) != 0)
		return -errno;
	if (n != (ssize_t)sizeof(m) || st.st_size != (off_t)sizeof(m) ||
	    m.magic != MAGIC || m.crc != checksum(&m))
		return WATERMARK_DAMAGED;
	w->id = m.id;
	w->number = m.number;
	return 0;
}

/* Under another name until it is whole. */
int watermark_make(struct watermark *w, int folder, const char *name,
		   uint64_t id, uint64_t number)
{
	char temp[256];
	int r;

	watermark_close(w);
	snprintf(temp, sizeof(temp), "%s.new", name);
	w->fd = openat(folder, temp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
		       MODE);
	if (w->fd < 0)
		return -errno;
	r = write_mark(w->fd, id, number);
	if (r == 0 && (fsync(w->fd) != 0 ||
		       renameat(folder, temp, folder, name) != 0 ||
		       fsync(folder) != 0))
		r = -errno;
	w->id = id;
	w->number = number;
	if (r != 0)
		watermark_close(w);
	return r;
}

int watermark_raise(struct watermark *w, uint64_t number)
{
	w->number = number;
	return w->fd < 0 ? -EBADF : write_mark(w->fd, w->id, number);
}

int watermark_sync(struct watermark *w)
{
	return fdatasync(w->fd) == 0 ? 0 : -errno;
}

void watermark_close(struct watermark *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
