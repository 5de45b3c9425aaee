/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse.c - make and map sparse segments of a domain
 */
#include "libatmi/domain/sparse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/pieces.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"

static pthread_mutex_t map_lock = PTHREAD_MUTEX_INITIALIZER;

void ow_sparse_lock(void)
{
	pthread_mutex_lock(&map_lock);
}

void ow_sparse_unlock(void)
{
	pthread_mutex_unlock(&map_lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(ow_sparse_lock, ow_sparse_unlock, ow_sparse_unlock);
}

static uint64_t size_of(const struct ow_sparse *s)
{
	return s->head_size + s->piece_size * s->pieces;
}

static int build(int fd, const void *arg)
{
	const struct ow_sparse *s = arg;
	struct ow_sparse_head h = { .magic = s->magic, .size = size_of(s) };
	int r = ow_segment_size(fd, h.size);

	if (r != 0 || s->head_size == 0)
		return r;
	r = ow_segment_reserve(fd, 0, s->head_size);
	if (r != 0)
		return r;
	return pwrite(fd, &h, sizeof(h), 0) == sizeof(h) ? 0 : -EIO;
}

static int open_segment(struct ow_domain *d, const struct ow_sparse *s,
			bool create, int *ret_fd)
{
	struct stat st;
	char path[160];
	int r, fd;

	ow_domain_shm_path(d, s->kind, path, sizeof(path));
	fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	if (fd == -ENOENT && create) {
		r = ow_segment_create(path, build, s);
		if (r != 0)
			return r;
		fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	}
	if (fd < 0)
		return fd;
	/* Names of a removed domain may be those of the next one. */
	if ((uint64_t)st.st_size != size_of(s) || ow_domain_is_gone(d)) {
		close(fd);
		return ow_domain_is_gone(d) ? -ESTALE : -EBADMSG;
	}
	*ret_fd = fd;
	return 0;
}

static int map_head(const struct ow_sparse *s, struct ow_sparse_map *m)
{
	const struct ow_sparse_head *h;
	void *at;

	if (s->head_size == 0)
		return 0;
	at = mmap(NULL, s->head_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  m->fd, 0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	m->head = at;
	h = at;
	return h->magic == s->magic && h->size == size_of(s) ? 0 : -EBADMSG;
}

int ow_sparse_map(struct ow_domain *d, const struct ow_sparse *s, bool create,
		  struct ow_sparse_map *ret)
{
	struct ow_sparse_map m = { .fd = -1 };
	int r = open_segment(d, s, create, &m.fd);

	if (r != 0)
		return r;
	r = map_head(s, &m);
	if (r == 0) {
		m.pieces = ow_pieces_new(m.fd, s->head_size, s->piece_size,
					 s->pieces);
		r = m.pieces != NULL ? 0 : -ENOMEM;
	}
	if (r != 0)
		ow_sparse_unmap(s, &m);
	else
		*ret = m;
	return r;
}

void ow_sparse_unmap(const struct ow_sparse *s, struct ow_sparse_map *m)
{
	if (m->pieces != NULL)
		ow_pieces_close(m->pieces);
	if (m->head != NULL)
		munmap(m->head, s->head_size);
	close(m->fd);
	*m = (struct ow_sparse_map){ .fd = -1 };
}
