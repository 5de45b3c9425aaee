/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - blackboxsv: records the domain once a second
 *
 * A server that offers no service, so that ndrxd starts, watches and restarts
 * it. A thread beside the server loop looks and writes (recorder.h): a disk
 * that hangs does not keep the server from answering pings. It calls nobody and
 * nobody calls it.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libndrx/blackbox/file.h"
#include "libndrx/blackbox/recorder.h"

static struct {
	struct ow_bb_recorder *recorder;
	pthread_t thread;
	int stop_fd;
	uint64_t period_ns;
} self = { .stop_fd = -1, .period_ns = OW_NS_PER_SEC };

static void *record(void *arg)
{
	struct pollfd p = { .fd = self.stop_fd, .events = POLLIN };
	uint64_t next = ow_clock_mono_ns(), now;
	sigset_t all;

	(void)arg;
	sigfillset(&all); /* the server loop handles signals */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (p.revents == 0) {
		(void)ow_bb_record(self.recorder); /* it logs failures */
		next += self.period_ns;
		now = ow_clock_mono_ns();
		if (now > next) /* after a pause: no records in a bunch */
			next = now;
		poll(&p, 1, (int)((next - now + OW_NS_PER_MS - 1) /
				  OW_NS_PER_MS));
	}
	(void)ow_bb_record(self.recorder);
	return NULL;
}

static int wrong(const char *what, const char *value)
{
	userlog((char *)"blackboxsv: -%s %s: not in range", what, value);
	return -1;
}

static int options(int argc, char **argv, char *path, size_t size, long *mib)
{
	int opt;
	long ms;

	while ((opt = getopt(argc, argv, "f:m:p:")) != -1) {
		if (opt == 'f')
			snprintf(path, size, "%s", optarg);
		else if (opt == 'm' && (ow_env_parse_long(optarg, mib) < 0 ||
					*mib < (long)OW_BB_MIB_MIN ||
					*mib > (long)OW_BB_MIB_MAX))
			return wrong("m", optarg);
		else if (opt == 'p') {
			if (ow_env_parse_long(optarg, &ms) < 0 || ms < 10 ||
			    ms > 60000)
				return wrong("p", optarg);
			self.period_ns = (uint64_t)ms * OW_NS_PER_MS;
		} else if (opt == '?')
			return -1;
	}
	if (path[0] != '\0')
		return 0;
	userlog((char *)"blackboxsv: NDRX_APPHOME is not set: -f names the "
			"file");
	return -1;
}

int tpsvrinit(int argc, char **argv)
{
	char path[512], why[512] = "no memory";
	long mib = OW_BB_MIB;

	ow_bb_path(path, sizeof(path));
	if (options(argc, argv, path, sizeof(path), &mib) != 0)
		return -1;
	self.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (self.stop_fd < 0 ||
	    ow_bb_recorder_open(path, (uint32_t)mib, &self.recorder, why,
				sizeof(why)) < 0) {
		userlog((char *)"blackboxsv: %s", why);
		return -1;
	}
	if (pthread_create(&self.thread, NULL, record, NULL) == 0)
		return 0;
	self.recorder = ow_bb_recorder_close(self.recorder);
	return -1;
}

void tpsvrdone(void)
{
	uint64_t one = 1;

	if (self.recorder == NULL)
		return;
	if (write(self.stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(self.thread, NULL);
	self.recorder = ow_bb_recorder_close(self.recorder);
	close(self.stop_fd);
}
