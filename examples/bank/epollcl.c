/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epollcl.c - a client of BANK that waits with epoll, and many calls in flight
 *
 *	epollcl [CALLS [IN_FLIGHT]]
 *
 * A real one has further descriptors in its epoll. Its exit status is 0 if all
 * replies were right.
 */
#include <sys/epoll.h>

#include "asks.h"

static struct asks asks;

int main(int argc, char **argv)
{
	long in_flight = argc > 2 ? atol(argv[2]) : 1000;
	struct epoll_event event = { .events = EPOLLIN };
	int poll = epoll_create1(EPOLL_CLOEXEC), replies = tpreplyfd();

	if (replies == -1) {
		fprintf(stderr, "tpreplyfd: %s\n", tpstrerror(tperrno));
		return 1;
	}
	if (epoll_ctl(poll, EPOLL_CTL_ADD, replies, &event) == -1 ||
	    asks_init(&asks, argc > 1 ? atol(argv[1]) : 100000) == -1)
		return 1;
	while (asks_begin(&asks, in_flight) == 0 && asks.out > 0) {
		epoll_wait(poll, &event, 1, tpreplytimeout());
		if (asks_take(&asks) == -1)
			return 1;
	}
	return asks_end(&asks);
}
