/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - what a server shows of its own work to onlookers
 */
#include "libatmi/domain/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"

#define TRIES 100

static int build(int fd, const void *arg)
{
	const struct ow_snapshot_kind *k = arg;
	int r = ow_segment_size(fd, k->size);

	return r == 0 ? ow_segment_reserve(fd, 0, k->size) : r;
}

static void path_of(const struct ow_domain *d, const struct ow_snapshot_kind *k,
		    uint32_t srvid, char *buf, size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "%s.%u", k->name, srvid);
	ow_domain_shm_path(d, name, buf, size);
}

static int map(const char *path, const struct ow_snapshot_kind *k, bool write,
	       struct ow_snapshot **ret)
{
	int prot = write ? PROT_READ | PROT_WRITE : PROT_READ;
	struct stat st;
	void *p = MAP_FAILED;
	int r, fd = ow_owned_open(path, write ? O_RDWR : O_RDONLY, S_IFREG,
				  &st);

	if (fd < 0)
		return fd;
	r = st.st_size == (off_t)k->size ? 0 : -EBADMSG;
	if (r == 0)
		p = mmap(NULL, k->size, prot, MAP_SHARED, fd, 0);
	if (r == 0 && p == MAP_FAILED)
		r = -errno;
	close(fd);
	if (r == 0)
		*ret = p;
	return r;
}

int ow_snapshot_open(const struct ow_domain *d,
		     const struct ow_snapshot_kind *k, uint32_t srvid,
		     void *ret)
{
	struct ow_snapshot *p = NULL;
	char path[128];
	int r;

	path_of(d, k, srvid, path, sizeof(path));
	r = map(path, k, true, &p);
	if (r == -EBADMSG)
		unlink(path);
	if (r == -ENOENT || r == -EBADMSG) {
		r = ow_segment_create(path, build, k);
		if (r == 0)
			r = map(path, k, true, &p);
	}
	if (r != 0)
		return r;
	if (p->magic != k->magic)
		memset(p, 0, k->size);
	p->srvid = srvid;
	*(void **)ret = p;
	return 0;
}

void ow_snapshot_begin(struct ow_snapshot *p, const struct ow_snapshot_kind *k)
{
	p->magic = k->magic;
	p->pid = getpid();
	atomic_store(&p->seq, atomic_load(&p->seq) | 1);
	atomic_thread_fence(memory_order_seq_cst);
}

void ow_snapshot_end(struct ow_snapshot *p)
{
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&p->seq, atomic_load(&p->seq) + 1);
}

void ow_snapshot_close(struct ow_snapshot *p, const struct ow_snapshot_kind *k)
{
	if (p != NULL)
		munmap(p, k->size);
}

/* Copied, and not changed meanwhile? */
static bool copy(const struct ow_snapshot *from,
		 const struct ow_snapshot_kind *k, struct ow_snapshot *to)
{
	uint64_t seq = atomic_load(&from->seq);

	if (seq & 1)
		return false;
	memcpy(to, from, k->size);
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load(&from->seq) == seq;
}

static bool is_sound(const struct ow_snapshot *p,
		     const struct ow_snapshot_kind *k, uint32_t srvid)
{
	return p->magic == k->magic && p->srvid == srvid && p->pid > 0 &&
	       (kill(p->pid, 0) == 0 || errno == EPERM);
}

void *ow_snapshot_read(const struct ow_domain *d,
		       const struct ow_snapshot_kind *k, uint32_t srvid)
{
	struct ow_snapshot *p = NULL, *to;
	char path[128];
	bool ok = false;
	int i;

	path_of(d, k, srvid, path, sizeof(path));
	if (map(path, k, false, &p) != 0)
		return NULL;
	to = malloc(k->size);
	for (i = 0; to != NULL && i < TRIES && !ok; i++)
		ok = copy(p, k, to);
	ow_snapshot_close(p, k);
	if (ok && is_sound(to, k, srvid))
		return to;
	free(to);
	return NULL;
}
