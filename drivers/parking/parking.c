/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parking.c - branches of this process that only their connection can end, and
 * the thread that takes orders for them
 */
#include "drivers/parking/parking.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "drivers/parking/address.h"
#include "drivers/parking/ask.h"

#define SPARES	 8
#define ORDER_MS 500 /* until the order has come */
#define LOOK_MS	 500

static struct {
	pthread_mutex_t lock;
	const struct parking_driver *driver;
	void *spares[SPARES];
	int n;
	struct parking *all;
	int epoll;
	bool has_thread;
} lot = { .lock = PTHREAD_MUTEX_INITIALIZER, .epoll = -1 };

/* ---- connections that are free ---- */

void parking_give_spare(const struct parking_driver *driver, void *db)
{
	pthread_mutex_lock(&lot.lock);
	if (lot.n < SPARES && driver->is_usable(db)) {
		lot.spares[lot.n++] = db;
		db = NULL;
	}
	pthread_mutex_unlock(&lot.lock);
	if (db != NULL)
		driver->close(db);
}

void *parking_take_spare(void)
{
	void *db = NULL;

	pthread_mutex_lock(&lot.lock);
	while (lot.n > 0 && db == NULL) {
		db = lot.spares[--lot.n];
		if (!lot.driver->is_usable(db)) {
			lot.driver->close(db);
			db = NULL;
		}
	}
	pthread_mutex_unlock(&lot.lock);
	return db;
}

/* ---- fork() ---- */

static void lock_lot(void)
{
	pthread_mutex_lock(&lot.lock);
}

static void unlock_lot(void)
{
	pthread_mutex_unlock(&lot.lock);
}

/* In the child: no goodbye to the database, which the parent still talks to. */
static void forget_all(void)
{
	struct parking *p;

	for (p = lot.all; p != NULL; p = p->next) {
		close(p->fd);
		close(p->driver->descriptor(p->db));
	}
	while (lot.n > 0)
		close(lot.driver->descriptor(lot.spares[--lot.n]));
	lot.all = NULL;
	if (lot.epoll >= 0)
		close(lot.epoll);
	lot.epoll = -1;
	lot.has_thread = false;
	unlock_lot();
}

static void watch_forks(void)
{
	pthread_atfork(lock_lot, unlock_lot, forget_all);
}

/* ---- the thread ---- */

static void serve(struct parking *p)
{
	static char order[PARKING_MOST + 1]; /* of the one thread */
	struct timeval limit = { .tv_usec = ORDER_MS * 1000 };
	int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
	int32_t result;
	ssize_t n;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	n = parking_is_own(fd) ? recv(fd, order, PARKING_MOST, 0) : -1;
	if (n > 0) {
		order[n] = '\0';
		result = p->driver->obey(p, order, (size_t)n);
		send(fd, &result, sizeof(result), MSG_NOSIGNAL);
	}
	close(fd);
}

/* One whose time is over; NULL: none. */
static struct parking *overdue(void)
{
	struct timespec ts;
	struct parking *p;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	pthread_mutex_lock(&lot.lock);
	for (p = lot.all; p != NULL && now < p->until_ns; p = p->next)
		;
	pthread_mutex_unlock(&lot.lock);
	return p;
}

static void *attend(void *arg)
{
	struct epoll_event e;
	struct parking *p;

	(void)arg;
	for (;;) {
		if (epoll_wait(lot.epoll, &e, 1, LOOK_MS) == 1)
			serve(e.data.ptr);
		while ((p = overdue()) != NULL)
			p->driver->late(p);
	}
	return NULL;
}

/* Lock held. */
static int need_thread(void)
{
	sigset_t all, was;
	pthread_t thread;
	int r;

	if (lot.has_thread)
		return 0;
	if (lot.epoll < 0)
		lot.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (lot.epoll < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	r = pthread_create(&thread, NULL, attend, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (r != 0)
		return -r;
	pthread_detach(thread);
	lot.has_thread = true;
	return 0;
}

/* ---- the service's thread ---- */

int parking_listen(struct parking *p, const struct parking_driver *driver,
		   const XID *x)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sockaddr_un a;
	socklen_t n = parking_address(driver->name, x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	pthread_once(&once, watch_forks);
	if (fd < 0)
		return -errno;
	pthread_mutex_lock(&lot.lock);
	lot.driver = driver;
	r = need_thread();
	pthread_mutex_unlock(&lot.lock);
	if (r == 0 && (bind(fd, (struct sockaddr *)&a, n) != 0 ||
		       listen(fd, 8) != 0))
		r = -errno;
	if (r != 0) {
		close(fd);
		return r;
	}
	*p = (struct parking){ .driver = driver, .fd = fd };
	return 0;
}

int parking_begin(struct parking *p, void *db, uint64_t until_ns)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = p };
	int r = 0;

	p->db = db;
	p->until_ns = until_ns;
	pthread_mutex_lock(&lot.lock);
	if (epoll_ctl(lot.epoll, EPOLL_CTL_ADD, p->fd, &e) != 0)
		r = -errno;
	if (r == 0) {
		p->next = lot.all;
		lot.all = p;
	}
	pthread_mutex_unlock(&lot.lock);
	return r;
}

/* A child that was made without handlers may hold the socket: closing it is not
 * enough. */
void parking_end(struct parking *p)
{
	struct parking **at;

	pthread_mutex_lock(&lot.lock);
	for (at = &lot.all; *at != NULL && *at != p; at = &(*at)->next)
		;
	if (*at == p)
		*at = p->next;
	(void)epoll_ctl(lot.epoll, EPOLL_CTL_DEL, p->fd, NULL);
	pthread_mutex_unlock(&lot.lock);
	shutdown(p->fd, SHUT_RDWR);
	close(p->fd);
}
