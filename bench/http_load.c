/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_load.c - callers of HTTP, beside connections that sent half a request
 *
 *	http_load PORT FILE CALLERS MS DEAD RATE
 *
 * FILE has the request. Opens DEAD connections that send half of it and no
 * more, writes "ready", and waits for a line. Then CALLERS keep a connection
 * each and send the request again and again for MS milliseconds (after 300
 * that do not count), RATE of them a second in all, 0: as fast as they are
 * answered. With a rate a time begins when the request was due. Writes
 * "ANSWERS/S P50 P99 ANSWERED", times in nanoseconds: those of each 100 ms, and
 * of these the median, as others who stop a machine for a moment spoil the
 * moments in which they do, and all answers that were due in them. One thread:
 * what it costs is the same beside any server. Exit 1: an answer was not 200.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench/hist.h"

enum { WARM_MS = 300, HEAD = 4096, WINDOW_MS = 100, WINDOWS = 10000 };

struct caller {
	int fd;
	uint64_t due;	/* of the request, ns */
	size_t sent;	/* bytes of it */
	char head[HEAD]; /* what has come of the answer, until its headers are there */
	size_t had;
	long left; /* bytes of the body; -1: the headers have not come */
	bool busy; /* a request is out */
};

struct load {
	int port, epoll;
	char *request;
	size_t len;
	uint64_t step; /* ns between two requests of a caller; 0: none */
	uint64_t from; /* answers count since then */
	uint64_t answered;
	struct ow_hist times; /* of the window */
	uint64_t window;      /* its end */
	uint64_t p50[WINDOWS], p99[WINDOWS];
	int windows;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_one(const struct load *l)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)l->port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* Half of the headers: no server can know what is asked for. */
static void open_dead(const struct load *l, int n)
{
	size_t half = (size_t)(strstr(l->request, "\r\n\r\n") - l->request) - 4;

	for (int i = 0; i < n; i++)
		if (write(open_one(l), l->request, half) != (ssize_t)half)
			die("half a request");
}

static void watch(const struct load *l, struct caller *c, int how, uint32_t for_what)
{
	struct epoll_event e = { .events = for_what, .data.ptr = c };

	if (epoll_ctl(l->epoll, how, c->fd, &e) < 0)
		die("epoll_ctl");
}

static void send_more(const struct load *l, struct caller *c)
{
	ssize_t n = send(c->fd, l->request + c->sent, l->len - c->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN)
		die("send");
	if (n > 0)
		c->sent += (size_t)n;
	if (l->len > 60000)
		watch(l, c, EPOLL_CTL_MOD,
		      EPOLLIN | (c->sent < l->len ? EPOLLOUT : 0));
}

static void begin(const struct load *l, struct caller *c, uint64_t now)
{
	if (c->busy || (l->step != 0 && c->due > now))
		return;
	if (l->step == 0)
		c->due = now;
	c->busy = true;
	c->sent = c->had = 0;
	c->left = -1;
	send_more(l, c);
}

/* The headers are there: how much of the body has come with them. */
static void read_head(struct caller *c, const char *end)
{
	const char *length = strcasestr(c->head, "\r\nContent-Length:");

	if (strncmp(c->head, "HTTP/1.1 200 ", 13) != 0 || length == NULL) {
		fprintf(stderr, "http_load: %.300s\n", c->head);
		exit(1);
	}
	c->left = atol(length + 17) -
		  (long)(c->had - (size_t)(end + 4 - c->head));
}

static void take(struct load *l, struct caller *c)
{
	static char rest[1 << 18];
	const char *end;
	ssize_t n;

	if (c->left < 0) {
		n = recv(c->fd, c->head + c->had, HEAD - 1 - c->had, 0);
		if (n <= 0)
			die("it closed");
		c->had += (size_t)n;
		c->head[c->had] = '\0';
		end = strstr(c->head, "\r\n\r\n");
		if (end != NULL)
			read_head(c, end);
	} else {
		n = recv(c->fd, rest, sizeof(rest), 0);
		if (n <= 0)
			die("it closed");
		c->left -= n;
	}
	if (c->left != 0)
		return;
	c->busy = false;
	if (c->due >= l->from) {
		ow_hist_add(&l->times, now_ns() - c->due);
		l->answered++;
	}
	c->due += l->step;
}

static void end_window(struct load *l, uint64_t now)
{
	if (now < l->window)
		return;
	if (l->times.count > 0 && l->windows < WINDOWS) {
		l->p50[l->windows] = ow_hist_quantile(&l->times, 0.5);
		l->p99[l->windows++] = ow_hist_quantile(&l->times, 0.99);
		memset(&l->times, 0, sizeof(l->times));
	}
	l->window = now + WINDOW_MS * 1000000u;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static unsigned long long median(uint64_t *all, int n)
{
	qsort(all, (size_t)n, sizeof(*all), compare);
	return n > 0 ? all[n / 2] : 0;
}

/* How long to sleep: until the next request is due. */
static struct timespec nap(const struct load *l, const struct caller *all,
			   int callers, uint64_t now)
{
	uint64_t next = now + 100000000u;

	for (int i = 0; l->step != 0 && i < callers; i++)
		if (!all[i].busy && all[i].due < next)
			next = all[i].due;
	next = next > now ? next - now : 0;
	return (struct timespec){ .tv_nsec = (long)next };
}

static void run(struct load *l, struct caller *all, int callers, int ms)
{
	struct epoll_event events[256];
	uint64_t until, now = now_ns();

	l->from = now + WARM_MS * 1000000u;
	until = l->from + (uint64_t)ms * 1000000u;
	for (int i = 0; i < callers; i++) {
		all[i].due = now + l->step * (uint64_t)i / (uint64_t)callers;
		begin(l, &all[i], now);
	}
	while ((now = now_ns()) < until) {
		struct timespec ts = nap(l, all, callers, now);
		int n = epoll_pwait2(l->epoll, events, 256, &ts, NULL);

		for (int i = 0; i < n; i++) {
			struct caller *c = events[i].data.ptr;

			if (events[i].events & EPOLLOUT)
				send_more(l, c);
			if (events[i].events & ~(uint32_t)EPOLLOUT)
				take(l, c);
			if (!c->busy)
				begin(l, c, now_ns());
		}
		now = now_ns();
		for (int i = 0; l->step != 0 && i < callers; i++)
			begin(l, &all[i], now);
		end_window(l, now);
	}
}

static char *read_request(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(4 << 20);

	if (f == NULL || text == NULL)
		die(path);
	*ret_len = fread(text, 1, (4 << 20) - 1, f);
	text[*ret_len] = '\0';
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	struct load *l = calloc(1, sizeof(*l));
	int callers, ms, rate;
	struct caller *all;

	if (argc != 7 || l == NULL) {
		fprintf(stderr, "usage: http_load PORT FILE CALLERS MS DEAD RATE\n");
		return 2;
	}
	l->port = atoi(argv[1]);
	l->request = read_request(argv[2], &l->len);
	callers = atoi(argv[3]);
	ms = atoi(argv[4]);
	rate = atoi(argv[6]);
	l->step = rate == 0 ? 0 : (uint64_t)callers * 1000000000u / (uint64_t)rate;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	open_dead(l, atoi(argv[5]));
	all = calloc((size_t)callers, sizeof(*all));
	for (int i = 0; i < callers; i++) {
		all[i].fd = open_one(l);
		watch(l, &all[i], EPOLL_CTL_ADD, EPOLLIN);
	}
	puts("ready");
	fflush(stdout);
	getchar();
	run(l, all, callers, ms);
	end_window(l, UINT64_MAX);
	printf("%.0f %llu %llu %llu\n", (double)l->answered * 1000 / ms,
	       median(l->p50, l->windows), median(l->p99, l->windows),
	       (unsigned long long)l->answered);
	return 0;
}
