/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - a pipe beside a service queue that says "one more message"
 */
#include "libatmi/transport/posix/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"

/* Service queues have bells; reply queues have one reader, who blocks. */
static bool has_bell(const struct ow_domain *d, const char *name)
{
	return (d->wake == OW_WAKE_BELL || d->wake == OW_WAKE_EVEN) &&
	       strncmp(name, "svc,", 4) == 0;
}

static void bell_path(const struct ow_domain *d, const char *name, char *buf,
		      size_t size)
{
	snprintf(buf, size, "%s/%s,bell,%s", d->shm_dir, d->prefix, name + 4);
}

int ow_bell_open(const struct ow_domain *d, const char *name, bool create,
		 int *ret_fd)
{
	char path[160];
	struct stat st;
	int fd;

	if (!has_bell(d, name))
		return OW_BELL_NONE;
	bell_path(d, name, path, sizeof(path));
	if (create && mkfifo(path, 0600) < 0 && errno != EEXIST)
		return -errno;
	/* Both ends: opening never waits, writing never meets a lost reader. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return -EBADMSG;
	}
	*ret_fd = fd;
	return 0;
}

void ow_bell_ring(int fd)
{
	ssize_t n;

	do {
		n = write(fd, "", 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		log_warn("bell: %s: the sweep will find the message",
			 strerror(errno));
}

int ow_bell_take(int fd)
{
	char c;

	return read(fd, &c, 1) == 1 ? 0 : OW_BELL_QUIET;
}

void ow_bell_remove(const struct ow_domain *d, const char *name)
{
	char path[160];

	if (strncmp(name, "svc,", 4) != 0)
		return;
	bell_path(d, name, path, sizeof(path));
	unlink(path);
}
