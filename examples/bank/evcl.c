/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evcl.c - a client of BANK in a loop of libev, with 5,000 calls in flight
 *
 *	evcl [CALLS [IN_FLIGHT]]
 *
 * Three watchers: one for the descriptor; one that runs before each wait, sets
 * the timer to what tpreplytimeout() says; and the timer. Its exit status is 0
 * if all replies were right.
 */
#include <ev.h>

#include "asks.h"

static struct asks asks;
static long in_flight;
static ev_io replies;
static ev_prepare before;
static ev_timer latest;

static void go_on(struct ev_loop *loop)
{
	if (asks_take(&asks) == -1 || asks_begin(&asks, in_flight) == -1 ||
	    asks.out == 0)
		ev_break(loop, EVBREAK_ALL);
}

static void on_replies(struct ev_loop *loop, ev_io *w, int events)
{
	(void)w;
	(void)events;
	go_on(loop);
}

static void on_latest(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)w;
	(void)events;
	go_on(loop);
}

static void before_wait(struct ev_loop *loop, ev_prepare *w, int events)
{
	(void)w;
	(void)events;
	ev_timer_stop(loop, &latest);
	ev_timer_set(&latest, tpreplytimeout() / 1000.0, 0);
	ev_timer_start(loop, &latest);
}

int main(int argc, char **argv)
{
	struct ev_loop *loop = ev_default_loop(0);
	int fd = tpreplyfd();

	in_flight = argc > 2 ? atol(argv[2]) : 5000;
	if (fd == -1) {
		fprintf(stderr, "tpreplyfd: %s\n", tpstrerror(tperrno));
		return 1;
	}
	if (asks_init(&asks, argc > 1 ? atol(argv[1]) : 100000) == -1 ||
	    asks_begin(&asks, in_flight) == -1)
		return 1;
	ev_io_init(&replies, on_replies, fd, EV_READ);
	ev_prepare_init(&before, before_wait);
	ev_timer_init(&latest, on_latest, 0, 0);
	ev_io_start(loop, &replies);
	ev_prepare_start(loop, &before);
	ev_run(loop, 0);
	return asks.out == 0 ? asks_end(&asks) : 1;
}
