/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - who is at the other end of a connection: a user of this machine, or another one
 */
#include "clients/ndrxweb/origin.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define END_SIZE 40 /* ADDRESS:PORT in /proc/net/tcp6, and NUL */
#define THIS_MACHINE "this machine"

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

enum end { END_UNKNOWN, END_CLOSED, END_OF_USER };

/* The end of a connection that is `theirs` for us; uid only of an open one: the
 * kernel shows 0 when the process has closed it. */
static enum end find_end(const char *file, const char *theirs, const char *ours,
			 unsigned int *ret_uid)
{
	char line[512], local[64], remote[64];
	enum end found = END_UNKNOWN;
	FILE *f = fopen(file, "re");
	unsigned int state, uid;

	while (f != NULL && found == END_UNKNOWN &&
	       fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, " %*[^:]: %63s %63s %x %*s %*s %*s %u", local,
			   remote, &state, &uid) != 4 ||
		    strcmp(local, theirs) != 0 || strcmp(remote, ours) != 0)
			continue;
		found = state == TCP_ESTABLISHED ? END_OF_USER : END_CLOSED;
		*ret_uid = uid;
	}
	if (f != NULL)
		fclose(f);
	return found;
}

/* The same among all. Their socket may be one of IPv6 also when ours is not. */
static enum end find(bool four, const char *theirs, const char *ours,
		     unsigned int *ret_uid)
{
	static const char mapped[] = "0000000000000000FFFF0000";
	char theirs_six[sizeof(mapped) + END_SIZE];
	char ours_six[sizeof(mapped) + END_SIZE];
	enum end end;

	if (!four)
		return find_end("/proc/net/tcp6", theirs, ours, ret_uid);
	end = find_end("/proc/net/tcp", theirs, ours, ret_uid);
	if (end != END_UNKNOWN)
		return end;
	snprintf(theirs_six, sizeof(theirs_six), "%s%s", mapped, theirs);
	snprintf(ours_six, sizeof(ours_six), "%s%s", mapped, ours);
	return find_end("/proc/net/tcp6", theirs_six, ours_six, ret_uid);
}

void ow_origin_name(int fd, char buf[OW_ORIGIN_SIZE])
{
	struct sockaddr_storage other = { 0 }, own = { 0 };
	socklen_t n = sizeof(other), m = sizeof(own);
	char theirs[END_SIZE], ours[END_SIZE];
	unsigned int uid = 0;
	enum end end;

	buf[0] = '\0';
	if (getpeername(fd, (struct sockaddr *)&other, &n) < 0 ||
	    getsockname(fd, (struct sockaddr *)&own, &m) < 0 ||
	    (other.ss_family != AF_INET && other.ss_family != AF_INET6))
		return;
	(void)end_text(&own, ours);
	end = find(end_text(&other, theirs), theirs, ours, &uid);
	if (end == END_OF_USER)
		snprintf(buf, OW_ORIGIN_SIZE, "user %u", uid);
	else if (end == END_CLOSED ||
		 strncmp(theirs, ours, strcspn(theirs, ":") + 1) == 0)
		snprintf(buf, OW_ORIGIN_SIZE, THIS_MACHINE);
	else
		ow_origin_address((const struct sockaddr *)&other, buf);
}

void ow_origin_address(const struct sockaddr *a, char buf[OW_ORIGIN_SIZE])
{
	struct in6_addr six;
	struct in_addr four;

	buf[0] = '\0';
	if (a->sa_family == AF_INET6) {
		six = ((const struct sockaddr_in6 *)a)->sin6_addr;
		memcpy(&four, six.s6_addr + 12, sizeof(four));
		if (IN6_IS_ADDR_LOOPBACK(&six)) {
			snprintf(buf, OW_ORIGIN_SIZE, THIS_MACHINE);
			return;
		}
		if (!IN6_IS_ADDR_V4MAPPED(&six)) {
			memset(six.s6_addr + 8, 0, 8);
			inet_ntop(AF_INET6, &six, buf, OW_ORIGIN_SIZE);
			return;
		}
	} else if (a->sa_family == AF_INET) {
		four = ((const struct sockaddr_in *)a)->sin_addr;
	} else {
		return;
	}
	if (ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET)
		snprintf(buf, OW_ORIGIN_SIZE, THIS_MACHINE);
	else
		inet_ntop(AF_INET, &four, buf, OW_ORIGIN_SIZE);
}
