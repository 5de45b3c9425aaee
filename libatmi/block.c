/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c - classes of blocks in one sparse segment
 *
 * The layout is constant: a head with one struct per class, then the block
 * descriptors of all classes, then the data. Each class is mapped when a
 * process first meets it. Memory of a block is reserved (fallocate) before
 * it is written: a full file system is an error of the sender, not a SIGBUS.
 */
#include "libatmi/block.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/clock.h"
#include "libatmi/fault.h"
#include "libatmi/log.h"
#include "libatmi/segment.h"
#include "libatmi/tables.h"

#define MAGIC	  UINT64_C(0x314b434f4c42574f) /* "OWBLOCK1" */
#define CLASSES	  11
#define PAGE	  4096u
#define RETURN_AT (UINT64_C(1) << 20) /* blocks this large are given back */

enum block_state {
	BLOCK_FREE = 0,
	BLOCK_USED = 1,
};

struct block {
	_Atomic uint32_t state;
	_Atomic uint32_t gen; /* counts allocations; part of references */
	_Atomic int32_t owner;
	uint32_t next; /* 1 + index of the next free block */
	_Atomic uint64_t owner_start;
	_Atomic uint64_t deadline_ns;
	_Atomic uint64_t backed; /* bytes of it that have memory */
	_Atomic uint64_t len;
	_Atomic uint64_t orphan_ns; /* owner first found dead */
	uint64_t pad;
};
_Static_assert(sizeof(struct block) == 64, "one cache line");

struct class_head {
	pthread_mutex_t lock; /* robust; guards free, high, next */
	uint32_t free;	      /* 1 + index, 0: none */
	_Atomic uint32_t high; /* blocks ever used */
	uint64_t pad[2];
};

struct head {
	uint64_t magic;
	uint64_t size;
	struct class_head class[CLASSES];
};

struct ow_blocks {
	char path[160];
	pthread_mutex_t lock; /* guards attaching; the rest is set once */
	int fd;
	_Atomic(struct head *) head;
	_Atomic(struct block *) block[CLASSES];
	_Atomic(char *) data[CLASSES];
};

/* 4 KiB << 2k, and how many of them. */
static const uint32_t class_count[CLASSES] = {
	262144, 131072, 65536, 32768, 16384, 4096, 1024, 256, 64, 16, 4,
};

static uint64_t class_size(int c)
{
	return UINT64_C(4096) << (2 * c);
}

static uint64_t up(uint64_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static uint64_t block_off(int c)
{
	uint64_t off = up(sizeof(struct head));
	int i;

	for (i = 0; i < c; i++)
		off += up(sizeof(struct block) * (uint64_t)class_count[i]);
	return off;
}

static uint64_t data_off(int c)
{
	uint64_t off = block_off(CLASSES);
	int i;

	for (i = 0; i < c; i++)
		off += class_size(i) * class_count[i];
	return off;
}

/* -ENOSPC has a result of its own. */
static int space(int r)
{
	return r == -ENOSPC ? OW_BLOCK_FULL : r;
}

/* ---- attaching ---- */

static int build(int fd)
{
	struct head *h;
	int c, r;

	if (ftruncate(fd, (off_t)data_off(CLASSES)) < 0)
		return -errno;
	r = ow_segment_reserve(fd, 0, sizeof(*h));
	if (r != 0)
		return r;
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		return -errno;
	for (c = 0; c < CLASSES; c++)
		ow_segment_init_lock(&h->class[c].lock);
	h->size = data_off(CLASSES);
	h->magic = MAGIC;
	munmap(h, sizeof(*h));
	return 0;
}

static int open_segment(struct ow_blocks *b, bool create)
{
	struct stat st;
	struct head *h;
	int r, fd = open(b->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT && create) {
		r = space(ow_segment_create(b->path, build));
		if (r != 0)
			return r;
		fd = open(b->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size != data_off(CLASSES)) {
		close(fd);
		return -EBADMSG;
	}
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED || h->magic != MAGIC) {
		if (h != MAP_FAILED)
			munmap(h, sizeof(*h));
		close(fd);
		return -EBADMSG;
	}
	b->fd = fd;
	atomic_store(&b->head, h);
	return 0;
}

/* Map class `c`, and the segment itself when it is the first. */
static int map_class(struct ow_blocks *b, int c, bool create)
{
	uint64_t nblk = up(sizeof(struct block) * (uint64_t)class_count[c]);
	uint64_t ndata = class_size(c) * class_count[c];
	void *p, *q;

	if (atomic_load(&b->head) == NULL) {
		int r = open_segment(b, create);

		if (r != 0)
			return r;
	}
	p = mmap(NULL, nblk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 b->fd, (off_t)block_off(c));
	if (p == MAP_FAILED)
		return -errno;
	q = mmap(NULL, ndata, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, b->fd, (off_t)data_off(c));
	if (q == MAP_FAILED) {
		munmap(p, nblk);
		return -errno;
	}
	madvise(q, ndata, MADV_DONTDUMP);
	atomic_store(&b->data[c], q);
	atomic_store(&b->block[c], p);
	return 0;
}

static int need_class(struct ow_blocks *b, int c, bool create)
{
	int r = 0;

	if (atomic_load_explicit(&b->block[c], memory_order_acquire) != NULL)
		return 0;
	pthread_mutex_lock(&b->lock);
	if (atomic_load(&b->block[c]) == NULL)
		r = map_class(b, c, create);
	pthread_mutex_unlock(&b->lock);
	return r;
}

int ow_blocks_open(const char *path, struct ow_blocks **ret)
{
	struct ow_blocks *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return -ENOMEM;
	snprintf(b->path, sizeof(b->path), "%s", path);
	pthread_mutex_init(&b->lock, NULL);
	b->fd = -1;
	*ret = b;
	return 0;
}

struct ow_blocks *ow_blocks_close(struct ow_blocks *b)
{
	int c;

	if (b == NULL)
		return NULL;
	for (c = 0; c < CLASSES; c++) {
		if (b->block[c] == NULL)
			continue;
		munmap(b->block[c],
		       up(sizeof(struct block) * (uint64_t)class_count[c]));
		munmap(b->data[c], class_size(c) * class_count[c]);
	}
	if (b->head != NULL)
		munmap(b->head, sizeof(struct head));
	if (b->fd >= 0)
		close(b->fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
	return NULL;
}

/* ---- the free list ---- */

static void rebuild_free(struct ow_blocks *b, int c)
{
	struct class_head *h = &b->head->class[c];
	uint32_t i, high = atomic_load(&h->high);

	h->free = 0;
	for (i = high < class_count[c] ? high : class_count[c]; i-- > 0;) {
		if (atomic_load(&b->block[c][i].state) != BLOCK_FREE)
			continue;
		b->block[c][i].next = h->free;
		h->free = i + 1;
	}
}

static void class_lock(struct ow_blocks *b, int c)
{
	struct class_head *h = &b->head->class[c];
	int r = pthread_mutex_lock(&h->lock);

	if (r == EOWNERDEAD) {
		rebuild_free(b, c);
		pthread_mutex_consistent(&h->lock);
	} else if (r != 0) {
		log_error("blocks: lock: %s: going on without it", strerror(r));
	}
}

static uint64_t make_ref(int c, uint32_t i, uint32_t gen)
{
	return (uint64_t)(c + 1) << 56 | (uint64_t)(gen & 0xffffff) << 32 | i;
}

/* Does the list begin with a block that is not free? */
static bool is_damaged(struct ow_blocks *b, int c)
{
	uint32_t first = b->head->class[c].free;

	return first != 0 &&
	       (first > atomic_load(&b->head->class[c].high) ||
		first > class_count[c] ||
		atomic_load(&b->block[c][first - 1].state) != BLOCK_FREE);
}

/* Pop a free block or take a fresh one; 1: the class is used up. */
static int take(struct ow_blocks *b, int c, uint32_t *ret_i)
{
	struct class_head *h = &b->head->class[c];
	uint32_t i, high = atomic_load(&h->high);
	int r;

	if (is_damaged(b, c))
		rebuild_free(b, c);
	if (h->free != 0 && h->free <= class_count[c]) {
		i = h->free - 1;
		OW_FAULT("block.pop");
		h->free = b->block[c][i].next;
	} else if (high < class_count[c]) {
		i = high;
		r = space(ow_segment_reserve(b->fd, block_off(c) +
					     i * sizeof(struct block),
					     sizeof(struct block)));
		if (r != 0)
			return r;
		OW_FAULT("block.high");
		atomic_store(&h->high, i + 1);
	} else {
		return OW_BLOCK_FULL;
	}
	*ret_i = i;
	return 0;
}

/* Make `blk` ours. State last: a crash before it leaves a free block. */
static void own(struct block *blk, uint64_t len, uint64_t deadline_ns)
{
	OW_FAULT("block.own.owner");
	atomic_store(&blk->owner, getpid());
	OW_FAULT("block.own.start");
	atomic_store(&blk->owner_start, ow_proc_start_self());
	OW_FAULT("block.own.deadline");
	atomic_store(&blk->deadline_ns, deadline_ns);
	atomic_store(&blk->len, len);
	OW_FAULT("block.own.orphan");
	atomic_store(&blk->orphan_ns, 0);
	OW_FAULT("block.own.gen");
	atomic_fetch_add(&blk->gen, 1);
	OW_FAULT("block.own.state");
	atomic_store(&blk->state, BLOCK_USED);
	OW_FAULT("block.own.end");
}

/* ---- references ---- */

/* The block that `ref` names, when it is one that is in use. */
static struct block *resolve(struct ow_blocks *b, uint64_t ref, int *ret_c,
			     uint32_t *ret_i)
{
	int c = (int)(ref >> 56) - 1;
	uint32_t i = (uint32_t)ref, gen = (uint32_t)(ref >> 32) & 0xffffff;
	struct block *blk;

	if (c < 0 || c >= CLASSES || i >= class_count[c] ||
	    need_class(b, c, false) != 0 ||
	    i >= atomic_load(&b->head->class[c].high))
		return NULL;
	blk = &b->block[c][i];
	if (atomic_load(&blk->state) != BLOCK_USED ||
	    (atomic_load(&blk->gen) & 0xffffff) != gen)
		return NULL;
	*ret_c = c;
	*ret_i = i;
	return blk;
}

/* Large blocks give their memory back; noted before it is gone. */
static void shrink(struct ow_blocks *b, int c, uint32_t i)
{
	if (class_size(c) < RETURN_AT)
		return;
	atomic_store(&b->block[c][i].backed, 0);
	OW_FAULT("block.free.punch");
	fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(data_off(c) + i * class_size(c)),
		  (off_t)class_size(c));
}

/* Free the block that `ref` names; of two that do so at once one succeeds,
 * and a block that was given out again meanwhile is left alone. `orphan_ns`
 * not 0: only if nobody has adopted it since it was stamped so. */
static bool release(struct ow_blocks *b, uint64_t ref, uint64_t orphan_ns)
{
	struct block *blk;
	uint32_t i;
	int c;

	if (resolve(b, ref, &c, &i) == NULL)
		return false;
	class_lock(b, c);
	blk = resolve(b, ref, &c, &i);
	if (blk != NULL && orphan_ns != 0 &&
	    atomic_load(&blk->orphan_ns) != orphan_ns)
		blk = NULL;
	if (blk != NULL) {
		shrink(b, c, i);
		OW_FAULT("block.free.state");
		atomic_store(&blk->state, BLOCK_FREE);
		OW_FAULT("block.free.next");
		blk->next = b->head->class[c].free;
		OW_FAULT("block.free.push");
		b->head->class[c].free = i + 1;
		OW_FAULT("block.free.end");
	}
	pthread_mutex_unlock(&b->head->class[c].lock);
	return blk != NULL;
}

int ow_block_alloc(struct ow_blocks *b, uint64_t len, uint64_t deadline_ns,
		   uint64_t *ret_ref, void **ret_data)
{
	struct block *blk;
	uint32_t i = 0;
	int c = 0, r;

	while (c < CLASSES && class_size(c) < len)
		c++;
	if (c == CLASSES)
		return OW_BLOCK_FULL;
	r = need_class(b, c, true);
	if (r != 0)
		return r;
	class_lock(b, c);
	r = take(b, c, &i);
	if (r == 0)
		own(&b->block[c][i], len, deadline_ns);
	pthread_mutex_unlock(&b->head->class[c].lock);
	if (r != 0)
		return r;
	blk = &b->block[c][i];
	if (atomic_load(&blk->backed) < len) {
		r = space(ow_segment_reserve(b->fd, data_off(c) +
					     i * class_size(c), up(len)));
		if (r != 0) {
			release(b, make_ref(c, i, atomic_load(&blk->gen)), 0);
			return r;
		}
		OW_FAULT("block.alloc.backed");
		atomic_store(&blk->backed, up(len));
	}
	*ret_ref = make_ref(c, i, atomic_load(&blk->gen));
	*ret_data = b->data[c] + i * class_size(c);
	return 0;
}

void *ow_block_adopt(struct ow_blocks *b, uint64_t ref, uint64_t len)
{
	struct block *blk;
	uint32_t i;
	int c;

	if (resolve(b, ref, &c, &i) == NULL)
		return NULL;
	class_lock(b, c); /* the sweep must not free it under our hands */
	blk = resolve(b, ref, &c, &i);
	if (blk != NULL && (len > class_size(c) ||
			    len > atomic_load(&blk->len) ||
			    len > atomic_load(&blk->backed)))
		blk = NULL;
	if (blk != NULL) {
		OW_FAULT("block.adopt.start");
		atomic_store(&blk->owner_start, ow_proc_start_self());
		OW_FAULT("block.adopt.owner");
		atomic_store(&blk->owner, getpid());
		OW_FAULT("block.adopt.orphan");
		atomic_store(&blk->orphan_ns, 0);
	}
	pthread_mutex_unlock(&b->head->class[c].lock);
	return blk != NULL ? b->data[c] + i * class_size(c) : NULL;
}

void ow_block_pass_on(struct ow_blocks *b, uint64_t ref, pid_t pid,
		      uint64_t start)
{
	struct block *blk;
	uint32_t i;
	int c;

	if (resolve(b, ref, &c, &i) == NULL)
		return;
	class_lock(b, c);
	blk = resolve(b, ref, &c, &i);
	if (blk != NULL && atomic_load(&blk->owner) == getpid()) {
		OW_FAULT("block.pass_on.start");
		atomic_store(&blk->owner_start, start);
		OW_FAULT("block.pass_on.owner");
		atomic_store(&blk->owner, pid);
	}
	pthread_mutex_unlock(&b->head->class[c].lock);
}

void ow_block_free(struct ow_blocks *b, uint64_t ref)
{
	release(b, ref, 0);
}

/* ---- the sweep ---- */

/* When was its owner first found dead, if that is a second ago; else 0. */
static uint64_t forsaken(struct block *blk, uint64_t now)
{
	uint64_t since = atomic_load(&blk->orphan_ns);

	if (atomic_load(&blk->state) != BLOCK_USED ||
	    ow_proc_alive(atomic_load(&blk->owner),
			  atomic_load(&blk->owner_start)))
		return 0;
	if (since == 0)
		atomic_store(&blk->orphan_ns, now);
	return since != 0 && now - since >= OW_NS_PER_SEC ? since : 0;
}

int ow_blocks_sweep(struct ow_blocks *b, bool (*in_use)(uint64_t, void *),
		    void *arg)
{
	uint64_t ref, since, deadline, now = ow_clock_mono_ns();
	uint32_t i, high;
	int c, n = 0;

	for (c = 0; c < CLASSES; c++) {
		if (need_class(b, c, false) != 0)
			return n;
		high = atomic_load(&b->head->class[c].high);
		for (i = 0; i < high && i < class_count[c]; i++) {
			struct block *blk = &b->block[c][i];

			since = forsaken(blk, now);
			if (since == 0)
				continue;
			ref = make_ref(c, i, atomic_load(&blk->gen));
			deadline = atomic_load(&blk->deadline_ns);
			if ((deadline == 0 || now <= deadline) &&
			    in_use(ref, arg))
				continue;
			n += release(b, ref, since);
		}
	}
	return n;
}

void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes)
{
	uint32_t i, high;
	int c;

	*ret_blocks = *ret_bytes = 0;
	for (c = 0; c < CLASSES && need_class(b, c, false) == 0; c++) {
		high = atomic_load(&b->head->class[c].high);
		for (i = 0; i < high && i < class_count[c]; i++) {
			if (atomic_load(&b->block[c][i].state) != BLOCK_USED)
				continue;
			(*ret_blocks)++;
			*ret_bytes += atomic_load(&b->block[c][i].len);
		}
	}
}
