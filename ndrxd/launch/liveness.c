/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liveness.c - which of the domain's processes live, at a bounded cost
 */
#include "ndrxd/launch/liveness.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/queue.h>
#include <unistd.h>

#define BUCKETS 16384u

struct process {
	LIST_ENTRY(process) in_bucket;
	LIST_ENTRY(process) in_list; /* watched, unwatched or dead */
	ow_proc_id id;
	int pidfd;	/* -1: none */
	bool dead;	/* on that list */
	uint32_t round; /* the last one in which /proc was read */
	uint32_t asked; /* the last tick in which it was asked for */
};

LIST_HEAD(processes, process);

struct ow_liveness {
	struct processes bucket[BUCKETS];
	struct processes watched, unwatched, dead;
	int epoll;
	uint32_t n_watched, n_unwatched;
	uint32_t files;	 /* pidfds that may be held */
	uint32_t tick;
	uint32_t lookups; /* reads of /proc left in this tick */
	uint32_t round;	 /* all unwatched ones are looked up once in each */
};

int ow_liveness_open(struct ow_liveness **ret)
{
	struct ow_liveness *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		int err = errno;

		free(l);
		return -err;
	}
	*ret = l;
	return 0;
}

static struct processes *bucket_of(struct ow_liveness *l, ow_proc_id id)
{
	return &l->bucket[(uint32_t)ow_proc_id_pid(id) % BUCKETS];
}

static struct process *find(struct ow_liveness *l, ow_proc_id id)
{
	struct process *p;

	LIST_FOREACH(p, bucket_of(l, id), in_bucket)
		if (p->id == id)
			return p;
	return NULL;
}

/* Give the pidfd back; the process is on no list afterwards. */
static void unwatch(struct ow_liveness *l, struct process *p)
{
	LIST_REMOVE(p, in_list);
	if (p->pidfd >= 0)
		close(p->pidfd); /* leaves the epoll set with it */
	if (p->dead)
		return;
	if (p->pidfd >= 0)
		l->n_watched--;
	else
		l->n_unwatched--;
	p->pidfd = -1;
}

static void forget(struct ow_liveness *l, struct process *p)
{
	unwatch(l, p);
	LIST_REMOVE(p, in_bucket);
	free(p);
}

/* Dead for ever: it stays on this list as long as somebody asks for it. */
static void bury(struct ow_liveness *l, struct process *p)
{
	unwatch(l, p);
	p->dead = true;
	LIST_INSERT_HEAD(&l->dead, p, in_list);
}

static void put_unwatched(struct ow_liveness *l, struct process *p)
{
	LIST_INSERT_HEAD(&l->unwatched, p, in_list);
	l->n_unwatched++;
}

struct ow_liveness *ow_liveness_close(struct ow_liveness *l)
{
	struct process *p;
	uint32_t i;

	if (l == NULL)
		return NULL;
	for (i = 0; i < BUCKETS; i++)
		while ((p = LIST_FIRST(&l->bucket[i])) != NULL)
			forget(l, p);
	close(l->epoll);
	free(l);
	return NULL;
}

/* ---- a tick ---- */

static void take_deaths(struct ow_liveness *l)
{
	struct epoll_event ev[OW_LIVENESS_PER_TICK];
	int i, n = epoll_wait(l->epoll, ev, OW_LIVENESS_PER_TICK, 0);

	for (i = 0; i < n; i++)
		bury(l, ev[i].data.ptr);
}

/* Nobody knows those any more that were not asked for in the last tick. */
static void forget_unasked(struct ow_liveness *l, struct processes *list)
{
	struct process *p, *next;

	for (p = LIST_FIRST(list); p != NULL; p = next) {
		next = LIST_NEXT(p, in_list);
		if (p->asked != l->tick)
			forget(l, p);
	}
}

void ow_liveness_tick(struct ow_liveness *l, uint32_t files)
{
	struct process *p;

	if (l->lookups > 0) { /* all that were asked for were looked up */
		forget_unasked(l, &l->unwatched);
		l->round++;
	}
	forget_unasked(l, &l->dead);
	l->tick++;
	l->files = files;
	l->lookups = OW_LIVENESS_PER_TICK;
	while (l->n_watched > l->files) {
		p = LIST_FIRST(&l->watched);
		unwatch(l, p);
		put_unwatched(l, p);
	}
	take_deaths(l);
}

uint32_t ow_liveness_unwatched(const struct ow_liveness *l)
{
	return l->n_unwatched;
}

/* ---- a question ---- */

/* The process is on no list. */
static void watch(struct ow_liveness *l, struct process *p)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = p };

	p->pidfd = -1;
	if (l->n_watched < l->files)
		p->pidfd = pidfd_open(ow_proc_id_pid(p->id), 0);
	if (p->pidfd >= 0 &&
	    epoll_ctl(l->epoll, EPOLL_CTL_ADD, p->pidfd, &ev) < 0) {
		close(p->pidfd);
		p->pidfd = -1;
	}
	if (p->pidfd < 0) {
		put_unwatched(l, p);
		return;
	}
	LIST_INSERT_HEAD(&l->watched, p, in_list);
	l->n_watched++;
}

/* The pidfd comes before the look into /proc: it is that of this process if
 * the process lives afterwards. */
static bool look_up(struct ow_liveness *l, struct process *p)
{
	l->lookups--;
	p->round = l->round;
	watch(l, p);
	if (ow_proc_id_alive(p->id))
		return true;
	bury(l, p);
	return false;
}

bool ow_liveness_ask(void *liveness, ow_proc_id id)
{
	struct ow_liveness *l = liveness;
	struct process *p;

	if (id == 0)
		return false;
	p = find(l, id);
	if (p != NULL) {
		p->asked = l->tick;
		if (p->dead)
			return false;
		if (p->pidfd >= 0 || p->round == l->round || l->lookups == 0)
			return true;
		unwatch(l, p);
		return look_up(l, p);
	}
	if (l->lookups == 0)
		return true; /* its turn comes */
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return true;
	p->id = id;
	p->asked = l->tick;
	LIST_INSERT_HEAD(bucket_of(l, id), p, in_bucket);
	return look_up(l, p);
}
