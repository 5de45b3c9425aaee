/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - finished spans of one process, in shared memory until they are read
 */
#include "libatmi/span/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"

#define MAGIC	 UINT64_C(0x324e4150534e574f) /* "OWNSPAN2" */
#define SIZE_MAX_OF 65536u
#define PREFIX	 "spans."

struct entry {
	_Atomic uint64_t turn;
	struct ow_span span;
};

struct head {
	uint64_t magic;
	uint32_t size; /* entries */
	uint32_t entry; /* bytes of one: the layout */
	ow_proc_id process;
	char program[64];
	_Alignas(64) _Atomic uint64_t head;
	_Atomic uint64_t dropped;
	_Alignas(64) _Atomic uint64_t tail;
	_Atomic uint64_t torn;
	_Alignas(64) struct entry entry_of[];
};

struct ow_span_ring {
	struct head *h;
	size_t bytes;
	uint32_t size; /* checked: that in shared memory may change */
};

static size_t bytes_of(uint32_t size)
{
	return sizeof(struct head) + (size_t)size * sizeof(struct entry);
}

static void path_of(const struct ow_domain *d, const char *name, char *buf,
		    size_t size)
{
	ow_domain_shm_path(d, name, buf, size);
}

static void own_name(char *buf, size_t size)
{
	snprintf(buf, size, PREFIX "%d.%llu", (int)getpid(),
		 (unsigned long long)ow_proc_start_self());
}

/* ---- made and opened ---- */

static int build(int fd, const void *arg)
{
	uint32_t i, size = *(const uint32_t *)arg;
	size_t bytes = bytes_of(size);
	struct head *h;
	int r;

	r = ow_segment_size(fd, bytes);
	if (r == 0)
		r = ow_segment_reserve(fd, 0, bytes);
	if (r != 0)
		return r;
	h = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		return -errno;
	h->size = size;
	h->entry = sizeof(struct entry);
	h->process = ow_proc_id_self();
	snprintf(h->program, sizeof(h->program), "%s",
		 program_invocation_short_name);
	for (i = 0; i < size; i++)
		atomic_store_explicit(&h->entry_of[i].turn, i,
				      memory_order_relaxed);
	h->magic = MAGIC;
	munmap(h, bytes);
	return 0;
}

static bool is_sound(const struct head *h, uint32_t size, size_t bytes)
{
	return h->magic == MAGIC && size >= 2 && size <= SIZE_MAX_OF &&
	       (size & (size - 1)) == 0 && h->entry == sizeof(struct entry) &&
	       bytes == bytes_of(size);
}

static int map(const char *path, struct ow_span_ring **ret)
{
	struct ow_span_ring *r;
	struct stat st;
	int fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	void *p;

	if (fd < 0)
		return fd;
	p = (size_t)st.st_size < sizeof(struct head)
		? MAP_FAILED
		: mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return (size_t)st.st_size < sizeof(struct head) ? -EBADMSG
								: -errno;
	r = calloc(1, sizeof(*r));
	if (r != NULL) {
		r->h = p;
		r->bytes = (size_t)st.st_size;
		r->size = r->h->size;
	}
	if (r == NULL || !is_sound(r->h, r->size, r->bytes)) {
		munmap(p, (size_t)st.st_size);
		free(r);
		return r == NULL ? -ENOMEM : -EBADMSG;
	}
	*ret = r;
	return 0;
}

int ow_span_ring_make(const struct ow_domain *d, uint32_t size,
		      struct ow_span_ring **ret)
{
	char name[64], path[256];
	int r;

	own_name(name, sizeof(name));
	path_of(d, name, path, sizeof(path));
	r = ow_segment_create(path, build, &size);
	return r == 0 ? map(path, ret) : r;
}

bool ow_span_ring_is_named(const struct ow_domain *d)
{
	char name[64], path[256];

	own_name(name, sizeof(name));
	path_of(d, name, path, sizeof(path));
	return access(path, F_OK) == 0;
}

int ow_span_ring_open(const struct ow_domain *d, const char *name,
		      struct ow_span_ring **ret)
{
	char path[256];

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
	    strchr(name, '/') != NULL)
		return -EBADMSG;
	path_of(d, name, path, sizeof(path));
	return map(path, ret);
}

struct ow_span_ring *ow_span_ring_close(struct ow_span_ring *r)
{
	if (r != NULL)
		munmap(r->h, r->bytes);
	free(r);
	return NULL;
}

void ow_span_ring_remove(const struct ow_domain *d, const char *name)
{
	char path[256];

	path_of(d, name, path, sizeof(path));
	unlink(path);
}

/* ---- written ---- */

struct ow_span *ow_span_ring_claim(struct ow_span_ring *r)
{
	struct head *h = r->h;
	uint64_t turn, p = atomic_load_explicit(&h->head, memory_order_relaxed);
	struct entry *e;

	for (;;) {
		e = &h->entry_of[p & (r->size - 1)];
		turn = atomic_load_explicit(&e->turn, memory_order_acquire);
		if (turn == p) {
			if (atomic_compare_exchange_weak_explicit(
				&h->head, &p, p + 1, memory_order_relaxed,
				memory_order_relaxed))
				break;
		} else if ((int64_t)(turn - p) < 0) {
			atomic_fetch_add_explicit(&h->dropped, 1,
						  memory_order_relaxed);
			return NULL;
		} else {
			p = atomic_load_explicit(&h->head,
						 memory_order_relaxed);
		}
	}
	OW_FAULT("span.taken");
	return &e->span;
}

/* Nobody else writes `turn` of a place that was taken: it is its number. */
void ow_span_ring_fill(struct ow_span *s)
{
	struct entry *e =
		(struct entry *)((char *)s - offsetof(struct entry, span));
	uint64_t p = atomic_load_explicit(&e->turn, memory_order_relaxed);

	OW_FAULT("span.written");
	atomic_store_explicit(&e->turn, p + 1, memory_order_release);
	OW_FAULT("span.put");
}

int ow_span_ring_put(struct ow_span_ring *r, const struct ow_span *s)
{
	struct ow_span *place = ow_span_ring_claim(r);

	if (place == NULL)
		return OW_SPAN_RING_FULL;
	*place = *s;
	ow_span_ring_fill(place);
	return 0;
}

/* ---- read ---- */

/* Texts end, and the kind is one. */
static bool make_safe(struct ow_span *s)
{
	if (!ow_span_is_http(s->kind))
		s->name[sizeof(s->name) - 1] = '\0';
	s->queue[sizeof(s->queue) - 1] = '\0';
	return s->kind > OW_SPAN_NONE && s->kind < OW_SPAN_KINDS;
}

/* The place was filled: 0; torn, or read by one that has died: EMPTY. */
static int take_one(struct ow_span_ring *r, uint64_t p, struct entry *e,
		    struct ow_span *ret)
{
	*ret = e->span;
	OW_FAULT("span.copied");
	atomic_store_explicit(&e->turn, p + r->size, memory_order_release);
	OW_FAULT("span.freed");
	atomic_store_explicit(&r->h->tail, p + 1, memory_order_release);
	if (make_safe(ret))
		return 0;
	atomic_fetch_add_explicit(&r->h->torn, 1, memory_order_relaxed);
	return OW_SPAN_RING_EMPTY;
}

int ow_span_ring_take(struct ow_span_ring *r, bool dead, struct ow_span *ret)
{
	struct head *h = r->h;
	uint64_t p, turn;
	struct entry *e;

	for (;;) {
		p = atomic_load_explicit(&h->tail, memory_order_relaxed);
		e = &h->entry_of[p & (r->size - 1)];
		turn = atomic_load_explicit(&e->turn, memory_order_acquire);
		if (turn == p + 1) {
			if (take_one(r, p, e, ret) == 0)
				return 0;
			continue;
		}
		if (turn != p) { /* a dead reader freed it */
			if ((int64_t)(turn - p) < 0)
				return OW_SPAN_RING_EMPTY; /* damaged */
			atomic_store_explicit(&h->tail, p + 1,
					      memory_order_release);
			continue;
		}
		if (!dead || atomic_load(&h->head) <= p)
			return OW_SPAN_RING_EMPTY;
		atomic_fetch_add_explicit(&h->torn, 1, memory_order_relaxed);
		atomic_store_explicit(&e->turn, p + r->size,
				      memory_order_release);
		atomic_store_explicit(&h->tail, p + 1, memory_order_release);
	}
}

void ow_span_ring_from(const struct ow_span_ring *r, struct ow_span_from *ret)
{
	const struct head *h = r->h;
	uint64_t head = atomic_load(&h->head), tail = atomic_load(&h->tail);

	ret->process = h->process;
	memcpy(ret->program, h->program, sizeof(ret->program));
	ret->program[sizeof(ret->program) - 1] = '\0';
	ret->dropped = atomic_load(&h->dropped);
	ret->torn = atomic_load(&h->torn);
	ret->size = r->size;
	ret->waiting = head > tail && head - tail <= r->size
			   ? (uint32_t)(head - tail)
			   : 0;
}

/* ---- the one reader ---- */

static int nothing(int fd, const void *arg)
{
	(void)fd;
	(void)arg;
	return 0;
}

int ow_span_reader_begin(const struct ow_domain *d)
{
	char path[256];
	int fd, r;

	path_of(d, "spans", path, sizeof(path));
	fd = ow_owned_open(path, O_RDWR, S_IFREG, NULL);
	if (fd == -ENOENT) {
		r = ow_segment_create(path, nothing, NULL);
		if (r != 0)
			return r;
		fd = ow_owned_open(path, O_RDWR, S_IFREG, NULL);
	}
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	r = errno == EWOULDBLOCK ? -EAGAIN : -errno;
	close(fd);
	return r;
}
