/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.c - open branches of this process, and the thread that ends them
 */
#include "drivers/xapq/parked.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <userlog.h>

#define SPARES	       8
#define ORDER_MS       500 /* until the order has come */
#define LOOK_MS	       500
#define ANSWER_SECONDS 3 /* then the tmsrv asks the database */
#define ADDRESS_BYTES  36 /* of an XID: all of ours */

struct parked {
	struct parked *next;
	int fd; /* listens */
	PGconn *db;
	uint64_t until_ns;
};

static struct {
	pthread_mutex_t lock;
	PGconn *spares[SPARES];
	int n;
	struct parked *all; /* of the thread, but that others add to it */
	int epoll;
	pid_t pid; /* of the process that has the thread */
} lot = { .lock = PTHREAD_MUTEX_INITIALIZER, .epoll = -1 };

static bool is_own(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
	       who.uid == geteuid();
}

static socklen_t address_of(const XID *x, struct sockaddr_un *ret)
{
	uint64_t h = 14695981039346656037u;
	size_t room = sizeof(ret->sun_path) - 1;
	char *to = ret->sun_path + 1;
	long i;
	int n;

	for (i = 0; i < x->gtrid_length + x->bqual_length; i++)
		h = (h ^ (unsigned char)x->data[i]) * 1099511628211u;
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	n = snprintf(to, room, "onewake-pq-%016llx-", (unsigned long long)h);
	for (i = 0; i < x->gtrid_length + x->bqual_length && i < ADDRESS_BYTES;
	     i++)
		n += snprintf(to + n, room - (size_t)n, "%02x",
			      (unsigned char)x->data[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

/* ---- connections that are free ---- */

static void give_spare(PGconn *db)
{
	pthread_mutex_lock(&lot.lock);
	if (lot.n < SPARES && !db_is_lost(db) &&
	    PQtransactionStatus(db) == PQTRANS_IDLE) {
		lot.spares[lot.n++] = db;
		db = NULL;
	}
	pthread_mutex_unlock(&lot.lock);
	PQfinish(db);
}

PGconn *park_take_spare(void)
{
	PGconn *db = NULL;

	pthread_mutex_lock(&lot.lock);
	while (lot.n > 0 && db == NULL) {
		db = lot.spares[--lot.n];
		if (db_is_lost(db)) {
			PQfinish(db);
			db = NULL;
		}
	}
	pthread_mutex_unlock(&lot.lock);
	return db;
}

/* ---- the thread ---- */

/* The server has said that nothing is committed. Not every error does: the
 * connection may be lost (08), the server may end (57P), and 40003 means that it
 * does not know. */
static bool is_refusal(const PGresult *r)
{
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

	return state != NULL && strncmp(state, "08", 2) != 0 &&
	       strncmp(state, "57P", 3) != 0 && strcmp(state, "40003") != 0;
}

static int commit(PGconn *db, const char *row)
{
	char *sql = malloc(strlen(row) + 32);
	PGresult *r;
	int xa = XAER_RMFAIL;

	if (sql == NULL)
		return XA_RBROLLBACK; /* as if it had never been asked for */
	sprintf(sql, "%s%sCOMMIT", row, *row != '\0' ? "; " : "");
	r = db_execute(db, sql);
	if (PQresultStatus(r) == PGRES_COMMAND_OK)
		xa = strcmp(PQcmdStatus(r), "COMMIT") == 0 ? XA_OK
							   : XA_RBROLLBACK;
	else if (is_refusal(r))
		xa = XA_RBROLLBACK;
	if (xa != XA_OK)
		userlog((char *)"postgresql: the commit of a last resource: "
			"%s", PQerrorMessage(db));
	PQclear(r);
	free(sql);
	return xa;
}

static int roll_back(PGconn *db)
{
	PGresult *r = db_execute(db, "ROLLBACK");

	PQclear(r);
	return XA_OK; /* or the connection has ended, and the branch with it */
}

static void let_go(struct parked *p, bool usable)
{
	struct parked **at;

	pthread_mutex_lock(&lot.lock);
	for (at = &lot.all; *at != NULL && *at != p; at = &(*at)->next)
		;
	if (*at == p)
		*at = p->next;
	pthread_mutex_unlock(&lot.lock);
	close(p->fd);
	if (usable)
		give_spare(p->db);
	else
		PQfinish(p->db);
	free(p);
}

/* When the branch has ended its address is free before the answer is sent: who
 * asks again finds nobody, and asks the database. */
static void obey(struct parked *p, int fd, char *order, size_t len)
{
	int32_t result;

	order[len] = '\0';
	if (order[0] != PARK_COMMIT && order[0] != PARK_ROLLBACK)
		return;
	result = order[0] == PARK_COMMIT ? commit(p->db, order + 1)
					 : roll_back(p->db);
	if (result == XA_RBROLLBACK)
		roll_back(p->db);
	let_go(p, result != XAER_RMFAIL);
	send(fd, &result, sizeof(result), MSG_NOSIGNAL);
}

static void serve(struct parked *p)
{
	static char order[PARK_MOST + 1]; /* of the one thread */
	struct timeval limit = { .tv_usec = ORDER_MS * 1000 };
	int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	n = is_own(fd) ? recv(fd, order, PARK_MOST, 0) : -1;
	if (n > 0)
		obey(p, fd, order, (size_t)n);
	close(fd);
}

/* One whose time is over; NULL: none. */
static struct parked *overdue(void)
{
	struct timespec ts;
	struct parked *p;
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
	struct parked *p;

	(void)arg;
	for (;;) {
		if (epoll_wait(lot.epoll, &e, 1, LOOK_MS) == 1)
			serve(e.data.ptr);
		while ((p = overdue()) != NULL) {
			userlog((char *)"postgresql: a branch got no order in "
				"time: it is rolled back");
			roll_back(p->db);
			let_go(p, true);
		}
	}
	return NULL;
}

/* After fork() the thread is missing, and what was parked is the parent's. Lock
 * held. */
static int need_thread(void)
{
	sigset_t all, was;
	pthread_t thread;
	int r;

	if (lot.pid == getpid())
		return 0;
	lot.all = NULL;
	lot.n = 0;
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
	socklen_t n = address_of(x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&a, n) == 0 && listen(fd, 8) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int park(const XID *x, PGconn *db, uint64_t until_ns)
{
	struct parked *p = calloc(1, sizeof(*p));
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = p };
	int r;

	if (p == NULL)
		return -ENOMEM;
	p->fd = listen_at(x);
	if (p->fd < 0) {
		r = p->fd;
		free(p);
		return r;
	}
	p->db = db;
	p->until_ns = until_ns;
	pthread_mutex_lock(&lot.lock);
	r = need_thread();
	if (r == 0 && epoll_ctl(lot.epoll, EPOLL_CTL_ADD, p->fd, &e) != 0)
		r = -errno;
	if (r == 0) {
		p->next = lot.all;
		lot.all = p;
	}
	pthread_mutex_unlock(&lot.lock);
	if (r == 0)
		return 0;
	close(p->fd);
	free(p);
	return r;
}

/* ---- a tmsrv ---- */

static int give_order(int fd, enum park_order order, const char *sql)
{
	struct iovec part[2] = { { .iov_base = &(char){ (char)order },
				   .iov_len = 1 },
				 { .iov_base = (char *)(uintptr_t)sql,
				   .iov_len = strlen(sql) } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
	int32_t result;

	if (!is_own(fd)) {
		userlog((char *)"postgresql: the address of a branch belongs "
			"to another user");
		return XAER_NOTA;
	}
	if (part[1].iov_len >= PARK_MOST || sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
		return XAER_NOTA;
	if (recv(fd, &result, sizeof(result), 0) != (ssize_t)sizeof(result))
		return XAER_RMFAIL;
	return result;
}

int park_ask(const XID *x, enum park_order order, const char *sql)
{
	struct timeval limit = { .tv_sec = ANSWER_SECONDS };
	struct sockaddr_un a;
	socklen_t n = address_of(x, &a);
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return XAER_NOTA;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	r = connect(fd, (struct sockaddr *)&a, n) == 0
		? give_order(fd, order, sql)
		: XAER_NOTA;
	close(fd);
	return r;
}
