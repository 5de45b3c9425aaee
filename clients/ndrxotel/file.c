/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - append each batch as a line to a file
 *
 * As a file exporter of a collector writes it. The file is opened for each
 * batch, so that it may be renamed (logrotate).
 */
#include "clients/ndrxotel/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int send_line(void *arg, const char *text, size_t len,
		     uint64_t *ret_rejected, unsigned *ret_wait_s, char *why,
		     size_t size)
{
	struct iovec v[2] = { { .iov_base = (char *)(uintptr_t)text,
				.iov_len = len },
			      { .iov_base = (char *)(uintptr_t)"\n",
				.iov_len = 1 } };
	int r = 0, fd = open_file(arg);
	off_t before;

	(void)ret_rejected;
	(void)ret_wait_s;
	if (fd < 0) {
		snprintf(why, size, "%s: %s", (char *)arg, strerror(-fd));
		return OW_OTEL_AGAIN;
	}
	before = lseek(fd, 0, SEEK_END);
	if (writev(fd, v, 2) != (ssize_t)len + 1) {
		snprintf(why, size, "%s: %s", (char *)arg, strerror(errno));
		if (before >= 0 && ftruncate(fd, before) != 0)
			snprintf(why, size, "%s: part of a line was written",
				 (char *)arg);
		r = OW_OTEL_AGAIN;
	}
	close(fd);
	return r;
}

int ow_otel_file_open(const char *path, struct ow_otel_way *ret)
{
	char *own = strdup(path);
	int fd = own != NULL ? open_file(own) : -ENOMEM;

	if (fd < 0) {
		free(own);
		return fd;
	}
	close(fd);
	*ret = (struct ow_otel_way){ .send = send_line, .close = free,
				     .arg = own };
	return 0;
}
