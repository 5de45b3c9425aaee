/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - the segments of service queues that this process has mapped
 *
 * A process maps a queue once, however many contexts use it. A removed queue
 * stays whole for processes that have it mapped, as a POSIX queue does; a new
 * queue of the same name is another file, with another inode.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/shm/segment.h"
#include "libubf/base/uncancelled.h"

#define RING_MIN 1024u /* cells, so that laps do not repeat soon (ring.h) */

static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_shmq *maps;

static void lock_maps(void)
{
	pthread_mutex_lock(&maps_lock);
}

static void unlock_maps(void)
{
	pthread_mutex_unlock(&maps_lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_maps, unlock_maps, unlock_maps);
}

static uint32_t ring_size(uint32_t limit)
{
	uint32_t n = RING_MIN;

	while (n < limit)
		n *= 2;
	return n;
}

static uint64_t segment_size(uint32_t limit)
{
	return sizeof(struct shmq_head) +
	       (uint64_t)OW_SHMQ_PRIOS * ring_size(limit) * sizeof(uint64_t);
}

static void path_of(const struct ow_domain *d, const char *svc, char *buf,
		    size_t size)
{
	char kind[40];

	snprintf(kind, sizeof(kind), "q,%.31s", svc);
	ow_domain_shm_path(d, kind, buf, size);
}

/* Properties of a queue to be created. */
struct plan {
	uint32_t limit;
	bool even;
};

static int build(int fd, const void *arg)
{
	const struct plan *plan = arg;
	struct shmq_head *h;
	int r;

	r = ow_segment_size(fd, segment_size(plan->limit));
	if (r == 0)
		r = ow_segment_reserve(fd, 0, offsetof(struct shmq_head, member));
	if (r != 0)
		return r;
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		return -errno;
	h->size = segment_size(plan->limit);
	h->limit = plan->limit;
	h->ring = ring_size(plan->limit);
	h->even = plan->even;
	atomic_store(&h->limit_at, plan->limit);
	h->magic = OW_SHMQ_MAGIC;
	munmap(h, sizeof(*h));
	return 0;
}

/* Map the segment `fd`, which stays the caller's on failure. */
static int map(struct ow_domain *d, const char *svc, int fd,
	       const struct stat *st, struct ow_shmq **ret)
{
	struct { uint64_t magic, size; uint32_t limit, ring; } h;
	struct ow_shmq *q;
	void *p;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    h.magic != OW_SHMQ_MAGIC || h.limit == 0 ||
	    h.limit > OW_SHMQ_MAX || h.ring != ring_size(h.limit) ||
	    h.size != segment_size(h.limit) || (uint64_t)st->st_size != h.size)
		return -EBADMSG;
	p = mmap(NULL, h.size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	q = calloc(1, sizeof(*q));
	if (q == NULL) {
		munmap(p, h.size);
		return -ENOMEM;
	}
	madvise(p, h.size, MADV_DONTDUMP);
	*q = (struct ow_shmq){ .head = p, .dom = d, .fd = fd, .users = 1,
			       .inode = st->st_ino, .limit = h.limit,
			       .ring = h.ring };
	q->cells = (_Atomic uint64_t *)((char *)p + sizeof(struct shmq_head));
	snprintf(q->svc, sizeof(q->svc), "%s", svc);
	q->next = maps;
	maps = q;
	*ret = q;
	return 0;
}

/* Open the mapping of the file that has the name now. Lock held. */
static int open_locked(struct ow_domain *d, const char *svc, const char *path,
		       struct ow_shmq **ret)
{
	struct ow_shmq *q;
	struct stat st;
	int r, fd;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? OW_SHMQ_GONE : -errno;
	for (q = maps; q != NULL; q = q->next)
		if (q->dom == d && q->inode == st.st_ino &&
		    strcmp(q->svc, svc) == 0) {
			q->users++;
			*ret = q;
			return 0;
		}
	fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	if (fd < 0)
		return fd == -ENOENT ? OW_SHMQ_GONE : fd;
	/* Names of a removed domain may be those of the next one. */
	r = ow_domain_is_gone(d) ? OW_SHMQ_GONE : map(d, svc, fd, &st, ret);
	if (r != 0)
		close(fd);
	return r;
}

int ow_shmq_open(struct ow_domain *d, const char *svc, struct ow_shmq **ret)
{
	OW_UNCANCELLED;
	char path[160];
	int r;

	path_of(d, svc, path, sizeof(path));
	pthread_mutex_lock(&maps_lock);
	r = open_locked(d, svc, path, ret);
	pthread_mutex_unlock(&maps_lock);
	return r;
}

int ow_shmq_create(struct ow_domain *d, const char *svc, uint32_t *limit,
		   struct ow_shmq **ret)
{
	struct plan plan = { .even = d->wake == OW_WAKE_EVEN };
	char path[160];
	int r, tries;

	plan.limit = *limit < 1		    ? 1
		     : *limit > OW_SHMQ_MAX ? OW_SHMQ_MAX
					    : *limit;
	path_of(d, svc, path, sizeof(path));
	for (tries = 0; tries < 10; tries++) {
		r = ow_shmq_open(d, svc, ret);
		if (r == 0)
			*limit = (*ret)->limit;
		if (r != OW_SHMQ_GONE)
			return r;
		r = ow_segment_create(path, build, &plan);
		if (r != 0)
			return r == -ENOSPC ? OW_SHMQ_NOSPACE : r;
	}
	return -EAGAIN;
}

struct ow_shmq *ow_shmq_close(struct ow_shmq *q)
{
	OW_UNCANCELLED;
	struct ow_shmq **at;

	if (q == NULL)
		return NULL;
	pthread_mutex_lock(&maps_lock);
	if (--q->users > 0) {
		pthread_mutex_unlock(&maps_lock);
		return NULL;
	}
	for (at = &maps; *at != NULL && *at != q; at = &(*at)->next)
		;
	if (*at == q)
		*at = q->next;
	pthread_mutex_unlock(&maps_lock);
	munmap(q->head, segment_size(q->limit));
	close(q->fd);
	free(q);
	return NULL;
}

int ow_shmq_remove(struct ow_domain *d, const char *svc)
{
	char path[160];

	path_of(d, svc, path, sizeof(path));
	if (unlink(path) == 0)
		return 0;
	return errno == ENOENT ? OW_SHMQ_GONE : -errno;
}
