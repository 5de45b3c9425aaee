/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - sockets that listen for requests, each held by one process
 */
#include "clients/ndrxmetrics/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libatmi/base/owned.h"

#define BACKLOG 64

/* Does another process accept connections on the socket? */
static int is_served(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return 0;
	r = connect(fd, (const struct sockaddr *)a, sizeof(*a));
	r = r == 0 || errno == EAGAIN;
	close(fd);
	return r;
}

/*
 * Of two processes that start at once, both find no listener, and the later
 * one would replace the socket of the other before it listens. So a process
 * locks the name, PATH.lock, for its life. The file of a dead one is used
 * again; one that was removed meanwhile is not. The descriptor, -EADDRINUSE,
 * -errno.
 */
static int lock_name(const char *path)
{
	struct stat mine, there;
	char name[128];
	int fd, r, tries;

	snprintf(name, sizeof(name), "%s.lock", path);
	for (tries = 0; tries < 100; tries++) {
		fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			  0600);
		if (fd < 0)
			return -errno;
		r = ow_owned_check(fd, name, S_IFREG, &mine);
		if (r == 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
			r = errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
		if (r == 0 && lstat(name, &there) == 0 &&
		    there.st_ino == mine.st_ino && there.st_dev == mine.st_dev)
			return fd;
		close(fd);
		/* -EPERM: its name was removed between open and check. */
		if (r != 0 && (r != -EPERM || access(name, F_OK) == 0))
			return r;
	}
	return -EADDRINUSE;
}

void ow_listen_unlock(const char *path, int lock_fd)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.lock", path);
	unlink(name);
	close(lock_fd);
}

int ow_listen_unix(const char *path, int *ret_lock)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t old;
	int fd, r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	r = lock_name(path);
	if (r < 0)
		return r;
	*ret_lock = r;
	if (is_served(&a))
		return -EADDRINUSE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    ow_owned_by_us(st.st_uid))
		unlink(path); /* left by a dead process */
	old = umask(0177);
	r = bind(fd, (const struct sockaddr *)&a, sizeof(a));
	umask(old);
	if (r == 0)
		r = listen(fd, BACKLOG);
	if (r == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int ow_listen_tcp(const struct addrinfo *a)
{
	int fd = socket(a->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r, on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}
