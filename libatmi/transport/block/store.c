/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - the segment of the block store and its free blocks
 *
 * The layout is constant: a head with one struct per class, then the block
 * descriptors of all classes, then the data. A process maps a class when it
 * first needs it. Memory of descriptors and data is reserved (fallocate)
 * before it is touched: a full file system is an error that the sender gets,
 * not a SIGBUS.
 */
#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/forks.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/tables.h"

#define PAGE	 4096u
#define LARGE(bits) ((UINT64_C(1) << (bits)) + PAGE)

const struct ow_class ow_classes[OW_BLOCK_CLASSES] = {
	{ 512, 262144 },	    { 1024, 262144 },
	{ 2048, 131072 },	    { 4096, 131072 },
	/* Payloads are often powers of two: they fit with their header. */
	{ LARGE(14), 65536 },	    { LARGE(16), 32768 },
	{ LARGE(18), 16384 },	    { LARGE(20), 4096 },
	{ LARGE(22), 1024 },	    { LARGE(24), 256 },
	{ LARGE(26), 64 },	    { LARGE(28), 16 },
	{ LARGE(30), 8 },	    { LARGE(32), 2 },
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_blocks *open_list;
static uint64_t last_id;

static uint64_t up(uint64_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static uint64_t descriptors_len(int c)
{
	return up(sizeof(struct block) * (uint64_t)ow_classes[c].count);
}

static uint64_t data_len(int c)
{
	return ow_classes[c].size * ow_classes[c].count;
}

static uint64_t block_off(int c)
{
	uint64_t off = up(sizeof(struct store_head));
	int i;

	for (i = 0; i < c; i++)
		off += descriptors_len(i);
	return off;
}

static uint64_t data_off(int c)
{
	uint64_t off = block_off(OW_BLOCK_CLASSES);
	int i;

	for (i = 0; i < c; i++)
		off += data_len(i);
	return off;
}

off_t ow_class_data_at(int c, uint32_t i)
{
	return (off_t)(data_off(c) + ow_class_size(c) * i);
}

/* The result FULL for -ENOSPC. */
static int full_if_enospc(int r)
{
	return r == -ENOSPC ? OW_BLOCK_FULL : r;
}

/* ---- creating and attaching ---- */

static int build(int fd, const void *unused)
{
	struct store_head *h;
	int r;

	r = ow_segment_size(fd, data_off(OW_BLOCK_CLASSES));
	if (r == 0)
		r = ow_segment_reserve(fd, 0, sizeof(*h));
	if (r != 0)
		return r;
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		return -errno;
	h->size = data_off(OW_BLOCK_CLASSES);
	h->magic = OW_BLOCK_MAGIC;
	munmap(h, sizeof(*h));
	return 0;
}

static int open_segment(struct ow_blocks *b, bool create)
{
	struct store_head *h;
	struct stat st;
	int r, fd = ow_owned_open(b->path, O_RDWR, S_IFREG, &st);

	if (fd == -ENOENT && create) {
		r = full_if_enospc(ow_segment_create(b->path, build, NULL));
		if (r != 0)
			return r;
		fd = ow_owned_open(b->path, O_RDWR, S_IFREG, &st);
	}
	if (fd < 0)
		return fd;
	/* Names of a removed domain may be those of the next one. */
	if (atomic_load(&b->tables->head->gone) != 0) {
		close(fd);
		return -ESTALE;
	}
	if ((uint64_t)st.st_size != data_off(OW_BLOCK_CLASSES)) {
		close(fd);
		return -EBADMSG;
	}
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED || h->magic != OW_BLOCK_MAGIC) {
		if (h != MAP_FAILED)
			munmap(h, sizeof(*h));
		close(fd);
		return -EBADMSG;
	}
	b->fd = fd;
	atomic_store(&b->head, h);
	return 0;
}

/* Map class `c`, opening the segment first if need be. */
static int map_class(struct ow_blocks *b, int c, bool create)
{
	void *p, *q;

	if (atomic_load(&b->head) == NULL) {
		int r = open_segment(b, create);

		if (r != 0)
			return r;
	}
	p = mmap(NULL, descriptors_len(c), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, b->fd, (off_t)block_off(c));
	if (p == MAP_FAILED)
		return -errno;
	q = mmap(NULL, data_len(c), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, b->fd, (off_t)data_off(c));
	if (q == MAP_FAILED) {
		munmap(p, descriptors_len(c));
		return -errno;
	}
	madvise(q, data_len(c), MADV_DONTDUMP);
	atomic_store(&b->data[c], q);
	atomic_store(&b->block[c], p);
	return 0;
}

int ow_class_map(struct ow_blocks *b, int c, bool create)
{
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (atomic_load(&b->block[c]) == NULL)
		r = map_class(b, c, create);
	pthread_mutex_unlock(&b->lock);
	return r;
}

__attribute__((cold)) int ow_class_see(struct ow_blocks *b, int c, uint32_t i)
{
	uint32_t known;
	int r;

	if (i >= ow_class_count(c))
		return OW_BLOCK_GONE;
	r = ow_class_need(b, c, false);
	if (r != 0)
		return r;
	known = ow_load_relaxed(&b->head->class[c].known);
	if (known > ow_class_count(c))
		known = ow_class_count(c);
	/* After the class was mapped. */
	atomic_store_explicit(&b->seen[c], known, memory_order_release);
	return i < known ? 0 : OW_BLOCK_GONE;
}

int ow_class_look(struct ow_blocks *b, int c, uint32_t *ret_known)
{
	int r = 0;

	*ret_known = 0;
	pthread_mutex_lock(&b->lock);
	if (atomic_load(&b->head) == NULL)
		r = open_segment(b, false);
	if (r == 0)
		*ret_known = atomic_load(&b->head->class[c].known);
	if (*ret_known > ow_class_count(c))
		*ret_known = ow_class_count(c);
	if (*ret_known > 0 && atomic_load(&b->block[c]) == NULL)
		r = map_class(b, c, false);
	pthread_mutex_unlock(&b->lock);
	return r;
}

int ow_blocks_open(const char *path, struct ow_tables *t,
		   struct ow_blocks **ret)
{
	struct ow_blocks *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return -ENOMEM;
	snprintf(b->path, sizeof(b->path), "%s", path);
	pthread_mutex_init(&b->lock, NULL);
	b->tables = t;
	b->fd = -1;
	atomic_store(&b->pins, 1);
	pthread_mutex_lock(&open_lock);
	b->id = ++last_id;
	b->next = open_list;
	open_list = b;
	pthread_mutex_unlock(&open_lock);
	*ret = b;
	return 0;
}

static void leave_list(struct ow_blocks *b)
{
	struct ow_blocks **at;

	pthread_mutex_lock(&open_lock);
	for (at = &open_list; *at != NULL; at = &(*at)->next)
		if (*at == b) {
			*at = b->next;
			break;
		}
	pthread_mutex_unlock(&open_lock);
}

static void unmap(struct ow_blocks *b)
{
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES; c++) {
		if (b->block[c] == NULL)
			continue;
		munmap(b->block[c], descriptors_len(c));
		munmap(b->data[c], data_len(c));
	}
	if (b->head != NULL)
		munmap(b->head, sizeof(struct store_head));
	if (b->fd >= 0)
		close(b->fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* A process with one thread, as most servers, needs no locked instruction. */
struct ow_blocks *ow_blocks_pin(struct ow_blocks *b)
{
	if (__libc_single_threaded)
		ow_count_own(&b->pins, 1);
	else
		ow_count_shared(&b->pins, 1);
	return b;
}

void ow_blocks_unpin(struct ow_blocks *b)
{
	uint32_t before;

	if (__libc_single_threaded) {
		before = ow_load_relaxed(&b->pins);
		ow_store_relaxed(&b->pins, before - 1);
	} else {
		before = atomic_fetch_sub(&b->pins, 1);
	}
	if (before == 1)
		unmap(b);
}

struct ow_blocks *ow_blocks_close(struct ow_blocks *b)
{
	if (b == NULL)
		return NULL;
	leave_list(b);
	atomic_store(&b->closed, true);
	ow_blocks_unpin(b);
	return NULL;
}

void ow_blocks_with(uint64_t id, void (*fn)(struct ow_blocks *, void *),
		    void *arg)
{
	struct ow_blocks *b;

	pthread_mutex_lock(&open_lock);
	for (b = open_list; b != NULL && b->id != id; b = b->next)
		;
	if (b != NULL)
		fn(b, arg);
	pthread_mutex_unlock(&open_lock);
}

/* At a fork: the list, and the stores in it. */
static void lock_list(void)
{
	struct ow_blocks *b;

	pthread_mutex_lock(&open_lock);
	for (b = open_list; b != NULL; b = b->next)
		pthread_mutex_lock(&b->lock);
}

static void unlock_list(void)
{
	struct ow_blocks *b;

	for (b = open_list; b != NULL; b = b->next)
		pthread_mutex_unlock(&b->lock);
	pthread_mutex_unlock(&open_lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_list, unlock_list, unlock_list);
}

/* ---- free blocks ---- */

void ow_class_mark(struct ow_blocks *b, int c, uint32_t i)
{
	struct class_head *h = &b->head->class[c];
	uint32_t w = i / 64;

	if (atomic_fetch_or(&h->free[w], UINT64_C(1) << (i % 64)) == 0)
		atomic_fetch_or(&h->some[w / 64], UINT64_C(1) << (w % 64));
}

/* A word of `free` that is not 0, as far as the hints know; -1: none. */
static int find_word(struct class_head *h, uint32_t words)
{
	uint32_t s, w;
	uint64_t some;

	for (s = 0; s * 64 < words; s++) {
		while ((some = atomic_load(&h->some[s])) != 0) {
			w = s * 64 + (uint32_t)__builtin_ctzll(some);
			if (w >= words)
				break;
			if (atomic_load(&h->free[w]) != 0)
				return (int)w;
			atomic_fetch_and(&h->some[s],
					 ~(UINT64_C(1) << (w % 64)));
			/* A process may have set a bit in between. */
			if (atomic_load(&h->free[w]) != 0)
				atomic_fetch_or(&h->some[s],
						UINT64_C(1) << (w % 64));
		}
	}
	return -1;
}

/* FREE -> CACHED; false: the bit was wrong. */
static bool grab(struct ow_blocks *b, int c, uint32_t i, uint32_t prc)
{
	struct block *blk = &b->block[c][i];
	uint64_t s = atomic_load(&blk->state);

	return state_kind(s) == OW_BLOCK_FREE &&
	       atomic_compare_exchange_strong(
		   &blk->state, &s,
		   state_make(OW_BLOCK_CACHED, prc, state_gen(s)));
}

static int take_marked(struct ow_blocks *b, int c, uint32_t prc,
		       uint32_t *ret_i, int max)
{
	struct class_head *h = &b->head->class[c];
	uint32_t known = atomic_load(&h->known);
	uint64_t bits, bit;
	int w, n = 0;

	if (known > ow_classes[c].count)
		known = ow_classes[c].count;
	while (n == 0 && (w = find_word(h, (known + 63) / 64)) >= 0) {
		bits = atomic_load(&h->free[w]);
		for (; bits != 0 && n < max; bits &= bits - 1) {
			bit = bits & -bits;
			if ((atomic_fetch_and(&h->free[w], ~bit) & bit) == 0)
				continue;
			OW_FAULT("block.bit");
			ret_i[n] = (uint32_t)w * 64 +
				   (uint32_t)__builtin_ctzll(bit);
			n += ret_i[n] < known && grab(b, c, ret_i[n], prc);
		}
	}
	return n;
}

/* Small blocks share pages: one reservation for those that were taken together.
 * Where there is no memory each one asks for its own (ow_class_back()). */
static void back_small(struct ow_blocks *b, int c, const uint32_t *i, int n)
{
	uint64_t size = ow_classes[c].size;
	int k;

	if (size >= PAGE || n == 0 ||
	    ow_segment_reserve(b->fd, data_off(c) + i[0] * size,
			       (i[n - 1] - i[0] + 1) * size) != 0)
		return;
	for (k = 0; k < n; k++)
		atomic_store(&b->block[c][i[k]].backed, size);
}

/* Take blocks that were never used; reserve memory for their descriptors
 * first. */
static int take_fresh(struct ow_blocks *b, int c, uint32_t prc,
		      uint32_t *ret_i, int max)
{
	struct class_head *h = &b->head->class[c];
	uint32_t i, end, known, high = atomic_load(&h->high);
	int n = 0;

	do {
		if (high >= ow_classes[c].count)
			return 0;
		end = high + (uint32_t)max;
		if (end > ow_classes[c].count)
			end = ow_classes[c].count;
	} while (!atomic_compare_exchange_weak(&h->high, &high, end));
	OW_FAULT("block.high");
	known = atomic_load(&h->known);
	while (known < end) {
		if (ow_segment_reserve(b->fd, block_off(c) +
				       known * sizeof(struct block),
				       (end - known) * sizeof(struct block)))
			return 0; /* the sweep finds these blocks */
		OW_FAULT("block.known");
		if (atomic_compare_exchange_strong(&h->known, &known, end))
			break;
	}
	for (i = high; i < end; i++) {
		ret_i[n] = i;
		n += grab(b, c, i, prc);
	}
	back_small(b, c, ret_i, n);
	return n;
}

int ow_class_take(struct ow_blocks *b, int c, uint32_t prc, uint32_t *ret_i,
		  int max)
{
	int n = take_marked(b, c, prc, ret_i, max);

	return n != 0 ? n : take_fresh(b, c, prc, ret_i, max);
}

void ow_class_punch(struct ow_blocks *b, int c, uint32_t i)
{
	/* Before the memory is gone. */
	atomic_store(&b->block[c][i].backed, 0);
	OW_FAULT("block.free.punch");
	ow_segment_fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			     data_off(c) + i * ow_classes[c].size,
			     ow_classes[c].size);
}

void ow_class_give(struct ow_blocks *b, int c, uint32_t i)
{
	struct block *blk = &b->block[c][i];
	uint64_t gen = state_gen(atomic_load(&blk->state));

	if (ow_classes[c].size >= OW_BLOCK_RETURN)
		ow_class_punch(b, c, i);
	OW_FAULT("block.free.state");
	atomic_store(&blk->state, state_make(OW_BLOCK_FREE, 0, gen + 1));
	OW_FAULT("block.free.bit");
	ow_class_mark(b, c, i);
	OW_FAULT("block.free.end");
}

/* Small blocks share pages: memory is reserved for a whole page, and each block
 * records the bytes of its own. */
int ow_class_back(struct ow_blocks *b, int c, uint32_t i, uint64_t len)
{
	struct block *blk = &b->block[c][i];
	int r;

	if (len > ow_classes[c].size)
		len = ow_classes[c].size;
	if (ow_load_relaxed(&blk->backed) >= len)
		return 0;
	len = ow_classes[c].size < PAGE ? ow_classes[c].size : up(len);
	r = full_if_enospc(ow_segment_reserve(
	    b->fd, data_off(c) + i * ow_classes[c].size, len));
	if (r != 0)
		return r;
	OW_FAULT("block.alloc.backed");
	atomic_store(&blk->backed, len);
	return 0;
}
