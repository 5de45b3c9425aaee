/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_poll.c - a server of HTTP that waits with poll(), to compare with
 *
 *	http_poll PORT FILE
 *
 * Answers each request with the contents of FILE: one process, and every
 * connection is looked at for each answer. It reads requests without a body,
 * or of a body that comes with the headers.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 20000, ROOM = 2048 };

struct conn {
	char text[ROOM];
	size_t had;
};

static struct pollfd fds[MOST];
static struct conn *conns[MOST];
static char answer[ROOM * 2];
static int n_fds = 1;

/* All that have come: the descriptor does not block. */
static void take_new(void)
{
	int fd;

	while (n_fds < MOST && (fd = accept(fds[0].fd, NULL, NULL)) >= 0) {
		fds[n_fds] = (struct pollfd){ .fd = fd, .events = POLLIN };
		conns[n_fds++] = calloc(1, sizeof(struct conn));
	}
}

static void drop(int i)
{
	close(fds[i].fd);
	free(conns[i]);
	fds[i] = fds[--n_fds];
	conns[i] = conns[n_fds];
}

/* Headers, and a body of the length that they say. */
static int is_whole(const struct conn *c)
{
	const char *end = strstr(c->text, "\r\n\r\n");
	const char *length = strcasestr(c->text, "\r\nContent-Length:");
	size_t body = length != NULL ? (size_t)atol(length + 17) : 0;

	return end != NULL && c->had >= (size_t)(end + 4 - c->text) + body;
}

static void serve(int i)
{
	struct conn *c = conns[i];
	ssize_t n = recv(fds[i].fd, c->text + c->had, ROOM - 1 - c->had, 0);

	if (n <= 0) {
		drop(i);
		return;
	}
	c->had += (size_t)n;
	c->text[c->had] = '\0';
	if (!is_whole(c))
		return;
	c->had = 0;
	if (send(fds[i].fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
		drop(i);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char body[ROOM] = "";
	FILE *f = argc == 3 ? fopen(argv[2], "re") : NULL;

	if (f == NULL)
		return 2;
	body[fread(body, 1, ROOM - 1, f)] = '\0';
	snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: "
		 "%zu\r\n\r\n%s", strlen(body), body);
	at.sin_port = htons((uint16_t)atoi(argv[1]));
	fds[0] = (struct pollfd){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), .events = POLLIN };
	if (bind(fds[0].fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fds[0].fd, 4096) < 0)
		return 1;
	while (poll(fds, (nfds_t)n_fds, -1) > 0) {
		for (int i = n_fds - 1; i > 0; i--)
			if (fds[i].revents != 0)
				serve(i);
		if (fds[0].revents != 0)
			take_new();
	}
	return 1;
}
