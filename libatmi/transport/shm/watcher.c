/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watcher.c - a thread that waits for the descriptors of a sleeping server
 */
#include "libatmi/transport/shm/watcher.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/futex.h"
#include "libatmi/transport/shm/attention.h"

static void *watch(void *arg)
{
	struct shm_watcher *a = arg;
	struct epoll_event ev;
	uint32_t checks;

	while (!atomic_load(&a->quit)) {
		checks = atomic_load(&a->checks);
		if (epoll_wait(a->ep, &ev, 1, -1) <= 0)
			continue;
		ow_attention_set(a->srv, OW_ATTENTION_FDS);
		while (atomic_load(&a->checks) == checks &&
		       !atomic_load(&a->quit))
			ow_futex_wait(&a->checks, checks,
				      ow_clock_mono_ns() + OW_NS_PER_SEC);
	}
	return NULL;
}

static void close_fds(struct shm_watcher *a)
{
	if (a->quit_fd >= 0)
		close(a->quit_fd);
	if (a->ep >= 0)
		close(a->ep);
	a->quit_fd = a->ep = -1;
}

static int open_fds(struct shm_watcher *a, int ep)
{
	struct epoll_event ev = { .events = EPOLLIN };

	a->ep = epoll_create1(EPOLL_CLOEXEC);
	if (a->ep < 0)
		return -errno;
	a->quit_fd = eventfd(0, EFD_CLOEXEC);
	if (a->quit_fd < 0 || epoll_ctl(a->ep, EPOLL_CTL_ADD, ep, &ev) < 0 ||
	    epoll_ctl(a->ep, EPOLL_CTL_ADD, a->quit_fd, &ev) < 0)
		return -errno;
	return 0;
}

int ow_watcher_start(struct shm_watcher *a, int ep)
{
	sigset_t all, old;
	int r;

	if (a->runs)
		return 0;
	r = open_fds(a, ep);
	if (r == 0) {
		sigfillset(&all); /* the program's threads handle signals */
		pthread_sigmask(SIG_SETMASK, &all, &old);
		r = -pthread_create(&a->thread, NULL, watch, a);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	a->runs = r == 0;
	if (r != 0)
		close_fds(a);
	return r;
}

void ow_watcher_resume(struct shm_watcher *a)
{
	if (!a->runs)
		return;
	atomic_fetch_add(&a->checks, 1);
	ow_futex_wake(&a->checks, 1);
}

void ow_watcher_stop(struct shm_watcher *a)
{
	if (a->runs) {
		atomic_store(&a->quit, true);
		eventfd_write(a->quit_fd, 1);
		ow_watcher_resume(a);
		pthread_join(a->thread, NULL);
	}
	close_fds(a);
}
