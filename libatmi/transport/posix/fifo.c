/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.c - the FIFO beside a service queue: a byte wakes a server
 */
#include "libatmi/transport/posix/fifo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"

static void fifo_path(const struct ow_domain *d, const char *service,
		      char *buf, size_t size)
{
	char kind[64];

	snprintf(kind, sizeof(kind), "bell,%.31s", service);
	ow_domain_shm_path(d, kind, buf, size);
}

int ow_fifo_open(const struct ow_domain *d, const char *service, bool create,
		 int *ret_fd)
{
	char path[160];
	int fd;

	if (d->wake != OW_WAKE_BELL && d->wake != OW_WAKE_EVEN)
		return OW_FIFO_NONE;
	fifo_path(d, service, path, sizeof(path));
	if (create && mkfifo(path, 0600) < 0 && errno != EEXIST)
		return -errno;
	/* Both ends: opening never blocks, writing never fails for want of a
	 * reader. */
	fd = ow_owned_open(path, O_RDWR, S_IFIFO, NULL);
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

void ow_fifo_put(int fd)
{
	long r;

	do {
		r = syscall(SYS_write, fd, "", 1); /* see uncancelled.h */
	} while (r < 0 && errno == EINTR);
	if (r < 0 && errno != EAGAIN)
		log_warn("FIFO of a service queue: %s: a polling server will "
			 "find the message", strerror(errno));
}

int ow_fifo_take(int fd)
{
	char c;

	return read(fd, &c, 1) == 1 ? 0 : OW_FIFO_EMPTY;
}

void ow_fifo_remove(const struct ow_domain *d, const char *service)
{
	char path[160];

	fifo_path(d, service, path, sizeof(path));
	unlink(path);
}
