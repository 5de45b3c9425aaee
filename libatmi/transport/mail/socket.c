/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.c - the socket that is readable while a polled mailbox has messages
 */
#include "libatmi/transport/mail/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libubf/base/uncancelled.h"

/* The address of the socket of a slot. A path too long for sun_path goes
 * through a descriptor of the folder, *ret_dir, which the caller closes; else
 * -1. 0, -errno. */
static int address(const struct ow_domain *d, uint32_t slot,
		   struct sockaddr_un *ret, int *ret_dir)
{
	char name[24], path[160];

	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	*ret_dir = -1;
	snprintf(name, sizeof(name), "poll,%u", slot);
	ow_domain_shm_path(d, name, path, sizeof(path));
	if (strlen(path) < sizeof(ret->sun_path)) {
		memcpy(ret->sun_path, path, strlen(path) + 1);
		return 0;
	}
	ow_domain_folder(d, path, sizeof(path));
	*ret_dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_dir < 0)
		return -errno;
	snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s",
		 *ret_dir, name);
	return 0;
}

static void close_folder(int dir)
{
	if (dir >= 0)
		close(dir);
}

static int make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* ---- called by the context ---- */

int ow_mail_socket_open(struct ow_domain *d, uint32_t slot)
{
	OW_UNCANCELLED;
	struct sockaddr_un a;
	int dir, fd, r = address(d, slot, &a, &dir);

	if (r < 0)
		return r;
	fd = make_socket();
	unlink(a.sun_path); /* a killed context's */
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		r = -errno;
		close(fd);
		fd = r;
	}
	close_folder(dir);
	return fd;
}

bool ow_mail_socket_holds(int fd)
{
	OW_UNCANCELLED;
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

void ow_mail_socket_drain(int fd)
{
	OW_UNCANCELLED;
	char byte;
	ssize_t n;

	do {
		n = recv(fd, &byte, 1, MSG_DONTWAIT);
	} while (n >= 0 || errno == EINTR);
}

/* ---- called by any process ---- */

/* The socket with which this process writes: a descriptor, or -errno. */
static int need_socket(struct ow_domain *d)
{
	int none = 0, fd = atomic_load(&d->mail_socket) - 1;

	if (fd >= 0)
		return fd;
	fd = make_socket();
	if (fd < 0 ||
	    atomic_compare_exchange_strong(&d->mail_socket, &none, fd + 1))
		return fd;
	close(fd); /* another thread was faster */
	return none - 1;
}

void ow_mail_socket_write(struct ow_domain *d, uint32_t slot)
{
	OW_UNCANCELLED;
	struct sockaddr_un a;
	int dir, fd = need_socket(d);

	if (fd < 0 || address(d, slot, &a, &dir) != 0)
		return; /* the program looks in time: tpreplytimeout() */
	(void)sendto(fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
		     (struct sockaddr *)&a, sizeof(a));
	close_folder(dir);
}

void ow_mail_socket_remove(const struct ow_domain *d, uint32_t slot)
{
	OW_UNCANCELLED;
	struct sockaddr_un a;
	int dir;

	if (address(d, slot, &a, &dir) != 0)
		return;
	unlink(a.sun_path);
	close_folder(dir);
}

void ow_mail_socket_forget(struct ow_domain *d)
{
	int fd = atomic_exchange(&d->mail_socket, 0) - 1;

	if (fd >= 0)
		close(fd);
}
