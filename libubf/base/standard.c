/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standard.c - standard input, output and error are no files of the runtime
 */
#include "libubf/base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void ow_standard_fill(void)
{
	int at, fd, saved = errno;

	for (at = STDIN_FILENO; at <= STDERR_FILENO; at++) {
		if (fcntl(at, F_GETFD) >= 0 || errno != EBADF)
			continue;
		fd = open("/dev/null", O_RDWR | O_NOCTTY);
		if (fd > STDERR_FILENO) /* another thread was faster */
			close(fd);
	}
	errno = saved;
}

int ow_standard_above(int fd)
{
	int above, e;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	e = errno;
	close(fd);
	errno = e;
	return above;
}
