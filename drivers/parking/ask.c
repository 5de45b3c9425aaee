/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - give an order to the process that has a branch
 */
#include "drivers/parking/ask.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <userlog.h>

#include "drivers/parking/address.h"

static enum parking_asked give(int fd, char order, const char *text,
			       int *ret_result)
{
	struct iovec part[2] = { { .iov_base = &order, .iov_len = 1 },
				 { .iov_base = (char *)(uintptr_t)text,
				   .iov_len = strlen(text) } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
	int32_t result;

	if (!parking_is_own(fd)) {
		userlog((char *)"the address of a branch belongs to another "
			"user");
		return PARKING_NOT_SENT;
	}
	/* Whole or not at all. */
	if (part[1].iov_len >= PARKING_MOST || sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
		return PARKING_NOT_SENT;
	if (recv(fd, &result, sizeof(result), 0) != (ssize_t)sizeof(result))
		return PARKING_NO_ANSWER;
	*ret_result = result;
	return PARKING_ANSWERED;
}

enum parking_asked parking_ask(const char *driver, const XID *x, char order,
			       const char *text, int seconds,
			       int *ret_result)
{
	struct timeval limit = { .tv_sec = seconds };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	enum parking_asked r = PARKING_NOT_SENT;
	struct sockaddr_un a;
	socklen_t n = parking_address(driver, x, &a);

	if (fd < 0)
		return r;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&a, n) == 0)
		r = give(fd, order, text, ret_result);
	else if (errno == ECONNREFUSED)
		r = PARKING_GONE;
	close(fd);
	return r;
}
