/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parking.c - branches of this process that only their connection can end, and
 * the threads that take orders for them
 *
 * All threads wait for the same events. An event names its branch by number: the
 * branch may have ended meanwhile, in another thread. A branch is in the hand of
 * one thread at a time (busy), and is armed for one event.
 */
#include "drivers/parking/parking.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "drivers/parking/address.h"
#include "drivers/parking/ask.h"

#define SPARES	     8
#define ORDER_MS     500 /* until the order has come */
#define LOOK_MS	     500
#define PAUSE_MS     50 /* without a descriptor */
#define THREADS_MOST 64 /* orders that are carried out at once */

/* A connection of this process. */
struct held {
	struct held *next;
	void *db;
	int (*descriptor)(void *db);
};

static struct {
	pthread_mutex_t lock;
	const struct parking_driver *driver;
	void *spares[SPARES];
	int n;
	struct parking *all;
	struct held *held;
	struct parking_limit *limits;
	void (*forget)(void);
	uint64_t last_id;
	int epoll, spare_fd;
	int threads, idle;
} lot = { .lock = PTHREAD_MUTEX_INITIALIZER, .epoll = -1, .spare_fd = -1 };

/* The branch whose order this thread carries out; NULL: none, or it has ended. */
static __thread struct parking *in_hand;

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

static void *take_one(void)
{
	void *db;

	pthread_mutex_lock(&lot.lock);
	db = lot.n > 0 ? lot.spares[--lot.n] : NULL;
	pthread_mutex_unlock(&lot.lock);
	return db;
}

void *parking_take_spare(void)
{
	void *db = take_one();

	while (db != NULL && !lot.driver->is_usable(db)) {
		lot.driver->close(db);
		db = take_one();
	}
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

/* In the child: no goodbye to the database, which the parent still talks to. Of
 * the parent's memory nothing is freed. */
static void forget_all(void)
{
	struct parking_limit *l;
	struct parking *p;
	struct held *h;
	int fd;

	for (p = lot.all; p != NULL; p = p->next)
		close(p->fd);
	for (h = lot.held; h != NULL; h = h->next) {
		fd = h->descriptor(h->db);
		if (fd >= 0)
			close(fd);
	}
	for (l = lot.limits; l != NULL; l = l->next)
		if (l->fd >= 0)
			close(l->fd);
	if (lot.forget != NULL)
		lot.forget();
	lot.n = 0;
	lot.all = NULL;
	lot.held = NULL;
	lot.limits = NULL;
	if (lot.epoll >= 0)
		close(lot.epoll);
	lot.epoll = -1;
	lot.threads = lot.idle = 0;
	unlock_lot();
}

static void watch_forks(void)
{
	pthread_atfork(lock_lot, unlock_lot, forget_all);
}

static void need_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

void parking_hold(void *db, int (*descriptor)(void *db), void (*forget)(void))
{
	struct held *h = malloc(sizeof(*h));
	int fd = descriptor(db);

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	need_watch();
	if (h == NULL)
		return; /* a child may keep it open */
	*h = (struct held){ .db = db, .descriptor = descriptor };
	pthread_mutex_lock(&lot.lock);
	lot.forget = forget;
	h->next = lot.held;
	lot.held = h;
	pthread_mutex_unlock(&lot.lock);
}

void parking_drop(void *db)
{
	struct held **at, *h;

	pthread_mutex_lock(&lot.lock);
	for (at = &lot.held; *at != NULL && (*at)->db != db; at = &(*at)->next)
		;
	h = *at;
	if (h != NULL)
		*at = h->next;
	pthread_mutex_unlock(&lot.lock);
	free(h);
}

/* ---- threads ---- */

static void start_thread(void);

/* The branch of an event, for this thread alone; NULL: it has ended, or another
 * thread has it. While all threads are busy another one is started: a slow
 * database holds up nobody else's branch. */
static struct parking *take(uint64_t id)
{
	struct parking *p;

	pthread_mutex_lock(&lot.lock);
	for (p = lot.all; p != NULL && p->id != id; p = p->next)
		;
	if (p != NULL && p->busy)
		p = NULL;
	if (p != NULL) {
		p->busy = true;
		in_hand = p;
		if (--lot.idle == 0)
			start_thread();
	}
	pthread_mutex_unlock(&lot.lock);
	return p;
}

/* It is for the next event again, unless its branch has ended. */
static void put_back(struct parking *p)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT };

	pthread_mutex_lock(&lot.lock);
	lot.idle++;
	if (in_hand == p) {
		p->busy = false;
		e.data.u64 = p->id;
		(void)epoll_ctl(lot.epoll, EPOLL_CTL_MOD, p->fd, &e);
	}
	in_hand = NULL;
	pthread_mutex_unlock(&lot.lock);
}

/* A process that has no descriptor left gives this one up for an order. Else it
 * would be asked again at once, and for ever. */
static int accept_order(int listener)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), spare;

	if (fd >= 0 || errno == EAGAIN)
		return fd;
	spare = __atomic_exchange_n(&lot.spare_fd, -1, __ATOMIC_ACQ_REL);
	if (spare >= 0) {
		close(spare);
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	}
	if (fd < 0)
		nanosleep(&pause, NULL);
	return fd;
}

static void keep_spare(void)
{
	int none = -1, fd;

	if (__atomic_load_n(&lot.spare_fd, __ATOMIC_ACQUIRE) >= 0)
		return;
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd >= 0 && !__atomic_compare_exchange_n(
			   &lot.spare_fd, &none, fd, false, __ATOMIC_ACQ_REL,
			   __ATOMIC_ACQUIRE))
		close(fd);
}

static void serve(struct parking *p)
{
	struct timeval limit = { .tv_usec = ORDER_MS * 1000 };
	char order[PARKING_MOST + 1];
	int fd = accept_order(p->fd);
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
	keep_spare();
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Whoever is silent for too long. */
static void cut_silent(void)
{
	struct parking_limit *l;
	uint64_t now = now_ns();

	pthread_mutex_lock(&lot.lock);
	for (l = lot.limits; l != NULL; l = l->next)
		if (!l->over && now >= l->until_ns) {
			l->over = true;
			shutdown(l->fd, SHUT_RDWR);
		}
	pthread_mutex_unlock(&lot.lock);
}

/* The id of one whose time is over; 0: none. */
static uint64_t overdue(void)
{
	uint64_t now = now_ns(), id;
	struct parking *p;

	pthread_mutex_lock(&lot.lock);
	for (p = lot.all; p != NULL && (now < p->until_ns || p->busy);
	     p = p->next)
		;
	id = p != NULL ? p->id : 0;
	pthread_mutex_unlock(&lot.lock);
	return id;
}

/* One waits, the others go. */
static bool may_go(void)
{
	bool may;

	pthread_mutex_lock(&lot.lock);
	may = lot.idle > 1;
	if (may) {
		lot.idle--;
		lot.threads--;
	}
	pthread_mutex_unlock(&lot.lock);
	return may;
}

static void *attend(void *arg)
{
	struct epoll_event e;
	struct parking *p;
	uint64_t id;
	int n;

	(void)arg;
	do {
		n = epoll_wait(lot.epoll, &e, 1, LOOK_MS);
		p = n == 1 ? take(e.data.u64) : NULL;
		if (p != NULL) {
			serve(p);
			put_back(p);
		}
		while ((id = overdue()) != 0 && (p = take(id)) != NULL) {
			p->driver->late(p);
			put_back(p);
		}
		cut_silent();
	} while (n != 0 || !may_go());
	return NULL;
}

/* Lock held. Without another one those that are there go on. */
static void start_thread(void)
{
	pthread_attr_t attr;
	sigset_t all, was;
	pthread_t thread;

	if (lot.threads == THREADS_MOST)
		return;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	if (pthread_create(&thread, &attr, attend, NULL) == 0) {
		lot.threads++;
		lot.idle++;
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	pthread_attr_destroy(&attr);
}

/* Lock held. */
static int need_thread(void)
{
	if (lot.epoll < 0)
		lot.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (lot.epoll < 0)
		return -errno;
	if (lot.threads == 0)
		start_thread();
	return lot.threads > 0 ? 0 : -EAGAIN;
}

/* ---- the service's thread ---- */

/* A descriptor of its own: the library may close the other one, and another thread
 * get its number. */
void parking_limit_begin(struct parking_limit *l, int fd, int seconds)
{
	*l = (struct parking_limit){
		.until_ns = now_ns() + (uint64_t)seconds * 1000000000u,
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
	};
	need_watch();
	pthread_mutex_lock(&lot.lock);
	(void)need_thread();
	if (l->fd >= 0) {
		l->next = lot.limits;
		lot.limits = l;
	}
	pthread_mutex_unlock(&lot.lock);
}

bool parking_limit_end(struct parking_limit *l)
{
	struct parking_limit **at;

	pthread_mutex_lock(&lot.lock);
	for (at = &lot.limits; *at != NULL && *at != l; at = &(*at)->next)
		;
	if (*at == l)
		*at = l->next;
	pthread_mutex_unlock(&lot.lock);
	if (l->fd >= 0)
		close(l->fd);
	return l->over;
}

int parking_listen(struct parking *p, const struct parking_driver *driver,
		   const XID *x)
{
	struct sockaddr_un a;
	socklen_t n = parking_address(driver->name, x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	need_watch();
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
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT };
	int r = 0;

	keep_spare();
	p->db = db;
	p->until_ns = until_ns;
	pthread_mutex_lock(&lot.lock);
	p->id = e.data.u64 = ++lot.last_id;
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
	if (in_hand == p)
		in_hand = NULL;
	pthread_mutex_unlock(&lot.lock);
	shutdown(p->fd, SHUT_RDWR);
	close(p->fd);
}
