/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.c - the control socket of a domain: connect, listen
 */
#include "libatmi/domain/domain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/tables.h"

/* The address of `d->sock`. A path too long for sun_path goes through a
 * descriptor of the folder, *ret_dir, which the caller closes; else -1. */
static int sock_addr(const struct ow_domain *d, struct sockaddr_un *a,
		     int *ret_dir)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	*ret_dir = -1;
	if (d->sock[0] == '\0')
		return -ENOENT;
	if (strlen(d->sock) < sizeof(a->sun_path)) {
		memcpy(a->sun_path, d->sock, strlen(d->sock) + 1);
		return 0;
	}
	*ret_dir = open(d->run_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret_dir < 0)
		return -errno;
	snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%s",
		 *ret_dir, "ndrxd.sock");
	return 0;
}

static int make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	return fd < 0 ? -errno : fd;
}

/* Is the listener ours, and alive? When ndrxd is killed while it starts a
 * process, that child has its listening socket until exec. A process that
 * connects then would wait for a reply that never comes. */
static int check_listener(int fd, const char *name)
{
	pid_t pid = 0;
	int r = ow_owned_peer(fd, name, &pid);

	return r == 0 && pid > 0 && !ow_proc_exists(pid) ? -ECONNREFUSED : r;
}

int ow_domain_connect(const struct ow_domain *d)
{
	struct sockaddr_un a;
	int dir, fd, r = sock_addr(d, &a, &dir);

	if (r < 0)
		return r;
	fd = make_socket();
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		r = -errno;
	else if (fd >= 0)
		r = check_listener(fd, d->sock);
	if (fd >= 0 && r < 0) {
		close(fd);
		fd = r;
	}
	if (dir >= 0)
		close(dir);
	return fd;
}

static int bind_and_listen(int fd, const struct sockaddr_un *a)
{
	mode_t old = umask(0177);
	int r = bind(fd, (const struct sockaddr *)a, sizeof(*a));

	if (r < 0)
		r = -errno;
	umask(old);
	if (r == 0 && listen(fd, SOMAXCONN) < 0)
		r = -errno;
	return r;
}

/* Lock the run folder for the life of this process; the descriptor stays open
 * on purpose. Of two ndrxd that start at once, one wins. */
static int lock_run_dir(const struct ow_domain *d)
{
	int fd, r;

	if (mkdir(d->run_dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	r = ow_owned_folder_owner(d->run_dir);
	if (r < 0)
		return r;
	fd = open(d->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Others could hold the lock. */
	if (fchmod(fd, 0700) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	close(fd);
	return errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
}

int ow_domain_listen(const struct ow_domain *d)
{
	struct sockaddr_un a;
	int dir, fd, r;

	if (d->run_dir[0] == '\0')
		return -ENOENT;
	r = lock_run_dir(d);
	if (r < 0)
		return r;
	fd = ow_domain_connect(d);
	if (fd >= 0) {
		close(fd);
		return -EADDRINUSE;
	}
	if (fd == -EAGAIN)
		return -EADDRINUSE; /* its backlog is full: it is alive */
	r = sock_addr(d, &a, &dir);
	if (r < 0)
		return r;
	fd = make_socket();
	if (fd >= 0) {
		unlink(d->sock);
		r = bind_and_listen(fd, &a);
		if (r < 0) {
			close(fd);
			fd = r;
		}
	}
	if (dir >= 0)
		close(dir);
	return fd;
}
