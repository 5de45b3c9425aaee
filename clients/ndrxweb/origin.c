/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - which user of this machine is at the other end of a connection?
 */
#include "clients/ndrxweb/origin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define END_SIZE 40 /* ADDRESS:PORT in /proc/net/tcp6, and NUL */

/* An end as /proc/net/tcp shows it; true: in the file of IPv4. */
static bool end_text(const struct sockaddr_storage *a, char to[END_SIZE])
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;
	uint32_t w[4];

	if (a->ss_family == AF_INET) {
		snprintf(to, END_SIZE, "%08X:%04X", four->sin_addr.s_addr,
			 ntohs(four->sin_port));
		return true;
	}
	memcpy(w, &six->sin6_addr, sizeof(w));
	if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
		snprintf(to, END_SIZE, "%08X:%04X", w[3],
			 ntohs(six->sin6_port));
		return true;
	}
	snprintf(to, END_SIZE, "%08X%08X%08X%08X:%04X", w[0], w[1], w[2], w[3],
		 ntohs(six->sin6_port));
	return false;
}

bool ow_origin_user(int fd, uid_t *ret)
{
	struct sockaddr_storage other, own;
	socklen_t n = sizeof(other), m = sizeof(own);
	char theirs[END_SIZE], ours[END_SIZE], line[512], local[64], remote[64];
	unsigned int uid;
	bool found = false;
	FILE *f;

	if (getpeername(fd, (struct sockaddr *)&other, &n) < 0 ||
	    getsockname(fd, (struct sockaddr *)&own, &m) < 0 ||
	    (other.ss_family != AF_INET && other.ss_family != AF_INET6))
		return false;
	(void)end_text(&own, ours);
	f = fopen(end_text(&other, theirs) ? "/proc/net/tcp"
					   : "/proc/net/tcp6", "re");
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		found = sscanf(line, " %*[^:]: %63s %63s %*s %*s %*s %*s %u",
			       local, remote, &uid) == 3 &&
			strcmp(local, theirs) == 0 && strcmp(remote, ours) == 0;
		if (found)
			*ret = uid;
	}
	if (f != NULL)
		fclose(f);
	return found;
}
