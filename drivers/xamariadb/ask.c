/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - orders to the process that has a branch
 */
#include "drivers/xamariadb/ask.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <userlog.h>

#define ANSWER_SECONDS 2 /* a stopped process answers later: asked again */

static int send_order(int fd, enum park_order order, bool *ret_sent)
{
	char byte = (char)order;
	int32_t result;

	if (!park_is_own(fd)) {
		userlog((char *)"mariadb: the address of a branch belongs to "
			"another user");
		return XAER_RMFAIL;
	}
	if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return XAER_RMFAIL;
	*ret_sent = true;
	if (recv(fd, &result, sizeof(result), 0) != (ssize_t)sizeof(result))
		return XAER_RMFAIL;
	return result;
}

int ask(const XID *x, enum park_order order, bool *ret_sent)
{
	struct timeval limit = { .tv_sec = ANSWER_SECONDS };
	struct sockaddr_un a;
	socklen_t n = name_address(x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return XAER_RMFAIL;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&a, n) == 0)
		r = send_order(fd, order, ret_sent);
	else
		r = errno == ECONNREFUSED ? ASK_GONE : XAER_RMFAIL;
	close(fd);
	return r;
}
