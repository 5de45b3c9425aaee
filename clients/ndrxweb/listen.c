/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - the socket of the web console
 */
#include "clients/ndrxweb/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_loopback(const struct addrinfo *a)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)
					   (const void *)a->ai_addr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)
					    (const void *)a->ai_addr;

	if (a->ai_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return a->ai_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static int open_socket(const struct addrinfo *a)
{
	int on = 1, e, fd = socket(a->ai_family,
				   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
				   0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 64) == 0)
		return fd;
	e = errno;
	close(fd);
	return -e;
}

int ow_web_listen(const char *address, uint16_t port, bool here, char *why,
		  size_t size)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *a = NULL;
	char number[8];
	int r;

	snprintf(number, sizeof(number), "%u", port);
	r = getaddrinfo(address, number, &hints, &a);
	if (r != 0) {
		snprintf(why, size, "%s: give an address in numbers", address);
		return -EINVAL;
	}
	if (here && !is_loopback(a)) {
		snprintf(why, size, "%s: other machines reach this address, so "
			 "a certificate and its key are needed: -c and -k",
			 address);
		freeaddrinfo(a);
		return -EACCES;
	}
	r = open_socket(a);
	freeaddrinfo(a);
	if (r < 0)
		snprintf(why, size, "%s, port %u: %s", address, port,
			 strerror(-r));
	return r;
}
