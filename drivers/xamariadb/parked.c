/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.c - prepared branches of this process, and the thread that ends them
 */
#include "drivers/xamariadb/parked.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>
#include <userlog.h>

#define SPARES	 8
#define ORDER_MS 500 /* until the order has come */

struct parked {
	int fd; /* listens */
	MYSQL *db;
	char name[NAME_SIZE];
};

static struct {
	pthread_mutex_t lock;
	MYSQL *spares[SPARES];
	int n;
	int epoll;
	pid_t pid; /* of the process that has the thread */
} lot = { .lock = PTHREAD_MUTEX_INITIALIZER, .epoll = -1 };

bool park_is_own(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
	       who.uid == geteuid();
}

/* ---- connections that are free ---- */

static void give_spare(MYSQL *db)
{
	pthread_mutex_lock(&lot.lock);
	if (lot.n < SPARES) {
		lot.spares[lot.n++] = db;
		db = NULL;
	}
	pthread_mutex_unlock(&lot.lock);
	if (db != NULL)
		mysql_close(db);
}

MYSQL *park_take_spare(void)
{
	MYSQL *db = NULL;

	pthread_mutex_lock(&lot.lock);
	if (lot.n > 0)
		db = lot.spares[--lot.n];
	pthread_mutex_unlock(&lot.lock);
	return db;
}

void park_drop_spares(void)
{
	MYSQL *db;

	while ((db = park_take_spare()) != NULL)
		mysql_close(db);
}

/* ---- the thread ---- */

static int carry_out(struct parked *p, char order)
{
	switch (order) {
	case PARK_PREPARE:
		return XA_OK;
	case PARK_COMMIT:
		return db_run_on(p->db, "XA COMMIT", p->name);
	case PARK_ROLLBACK:
		return db_run_on(p->db, "XA ROLLBACK", p->name);
	default:
		return XAER_INVAL;
	}
}

static void let_go(struct parked *p, bool lost)
{
	close(p->fd);
	if (lost)
		mysql_close(p->db);
	else
		give_spare(p->db);
	free(p);
}

/* Somebody has an order for the branch. When it has ended the address is free
 * before the answer is sent: who asks again finds the database's word. */
static void serve(struct parked *p)
{
	struct timeval limit = { .tv_usec = ORDER_MS * 1000 };
	int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
	int32_t result = XAER_INVAL;
	char order = 0;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (!park_is_own(fd) || recv(fd, &order, 1, 0) != 1) {
		close(fd);
		return;
	}
	result = carry_out(p, order);
	if (result == XAER_RMFAIL ||
	    (order != PARK_PREPARE && result != XAER_INVAL))
		let_go(p, result != XA_OK);
	send(fd, &result, sizeof(result), MSG_NOSIGNAL);
	close(fd);
}

static void *attend(void *arg)
{
	struct epoll_event e;

	(void)arg;
	for (;;)
		if (epoll_wait(lot.epoll, &e, 1, -1) == 1)
			serve(e.data.ptr);
	return NULL;
}

/* After fork() the thread is missing. Lock held. */
static int need_thread(void)
{
	sigset_t all, was;
	pthread_t thread;
	int r;

	if (lot.pid == getpid())
		return 0;
	lot.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (lot.epoll < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	r = pthread_create(&thread, NULL, attend, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (r != 0) {
		close(lot.epoll);
		return -r;
	}
	pthread_detach(thread);
	lot.pid = getpid();
	return 0;
}

/* ---- the service's thread ---- */

static int listen_at(const XID *x)
{
	struct sockaddr_un a;
	socklen_t n = name_address(x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&a, n) == 0 && listen(fd, 8) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int park_listen(const XID *x, struct parked **ret)
{
	struct parked *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&lot.lock);
	r = need_thread();
	pthread_mutex_unlock(&lot.lock);
	if (r == 0)
		r = p->fd = listen_at(x);
	if (r < 0) {
		free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void park(struct parked *p, MYSQL *db, const char *name)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = p };

	p->db = db;
	strcpy(p->name, name);
	if (epoll_ctl(lot.epoll, EPOLL_CTL_ADD, p->fd, &e) == 0)
		return;
	/* As if this process had died: the database keeps the branch. */
	userlog((char *)"mariadb: a branch takes no orders: %s",
		strerror(errno));
	let_go(p, true);
}

void park_not(struct parked *p)
{
	close(p->fd);
	free(p);
}
