/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - ndrxmetricssv: ndrxmetrics as a server that ndrxd starts
 *
 * The server offers no service; ndrxd supervises and restarts it like any
 * server. A thread beside the server loop exports the figures.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "clients/ndrxmetrics/run.h"

static struct {
	struct ow_run *run;
	pthread_t thread;
	int stop_fd;
} self = { .stop_fd = -1 };

static void *serve(void *arg)
{
	sigset_t all;

	(void)arg;
	sigfillset(&all); /* the server loop handles signals */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	ow_run_serve(self.run, self.stop_fd);
	return NULL;
}

int tpsvrinit(int argc, char **argv)
{
	struct ow_run_options o;
	char why[512] = "";

	if (ow_run_parse(argc, argv, &o) != 0 || o.once)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	self.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (self.stop_fd < 0 ||
	    ow_run_open(&o, &self.run, why, sizeof(why)) < 0) {
		userlog((char *)"ndrxmetricssv: %s",
			why[0] != '\0' ? why : strerror(errno));
		return -1;
	}
	if (pthread_create(&self.thread, NULL, serve, NULL) != 0) {
		self.run = ow_run_close(self.run);
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
	uint64_t one = 1;

	if (self.run == NULL)
		return;
	if (write(self.stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(self.thread, NULL);
	self.run = ow_run_close(self.run);
	close(self.stop_fd);
}
