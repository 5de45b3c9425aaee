/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - make and map the shared tables of a domain
 *
 * base/segment.h creates the file. Only the head has memory at first: slots
 * and rows get theirs when they are taken.
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libubf/base/cleanup.h"

#define PAGE	    4096u
#define TRIES	    30 /* to open them: a third of a second */
#define PATIENCE_NS (10 * OW_NS_PER_SEC) /* for the domain lock */

/* Offsets of the parts. Each begins at a page. */
#define OFF_HEAD 0
#define UP(x)	 (((uint64_t)(x) + PAGE - 1) / PAGE * PAGE)
#define OFF_SVC	 UP(sizeof(struct ow_tables_head))
#define OFF_SRV	 (OFF_SVC + UP(sizeof(struct ow_svc) * OW_SVC_MAX))
#define OFF_CLT	 (OFF_SRV + UP(sizeof(struct ow_srv) * OW_SRV_MAX))
#define OFF_PRC	 (OFF_CLT + UP(sizeof(struct ow_clt) * OW_CLT_MAX))
#define OFF_DID	 (OFF_PRC + UP(sizeof(struct ow_prc) * OW_PRC_MAX))
#define OFF_RX	 (OFF_DID + UP(sizeof(struct ow_done_row) * OW_CLT_MAX))
#define OFF_ADV	 (OFF_RX + (uint64_t)OW_RX_SIZE * OW_SRV_MAX)
#define ROWS	 ((uint64_t)sizeof(struct ow_adv) * OW_ADV_MAX)
#define SEG_SIZE (OFF_ADV + ROWS * OW_SRV_MAX)
#define MAP_SIZE OFF_RX /* mapped by every process */

struct ow_adv ow_adv_none[OW_ADV_MAX];
uint8_t ow_rx_none[OW_RX_SIZE] __attribute__((aligned(64)));

static void read_boot_id(char *buf, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	memset(buf, 0, size);
	if (f == NULL)
		return;
	if (fgets(buf, (int)size, f) != NULL)
		buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

/* -ENOSPC as a result of tables.h. */
static int space(int r)
{
	return r == -ENOSPC ? OW_TABLES_NOSPACE : r;
}

int ow_tables_reserve(const struct ow_tables *t, const void *p, size_t len)
{
	uint64_t off = (uint64_t)((const char *)p - (const char *)t->head);

	return space(ow_segment_reserve(t->fd, off, len));
}

bool ow_tables_reach(const struct ow_tables *t, uint32_t srvid)
{
	return ow_tables_rx(t, srvid) != ow_rx_none &&
	       ow_tables_adv(t, srvid) != ow_adv_none;
}

int ow_tables_reserve_rx(const struct ow_tables *t, uint32_t srvid)
{
	if (!ow_tables_reach(t, srvid))
		return -ENOMEM;
	return space(ow_segment_reserve(
	    t->fd, OFF_RX + (uint64_t)srvid * OW_RX_SIZE, OW_RX_SIZE));
}

int ow_tables_reserve_rows(const struct ow_tables *t, uint32_t srvid,
			   uint32_t from, uint32_t to)
{
	if (!ow_tables_reach(t, srvid))
		return -ENOMEM;
	return space(ow_segment_reserve(
	    t->fd, OFF_ADV + srvid * ROWS + from * sizeof(struct ow_adv),
	    (to - from) * sizeof(struct ow_adv)));
}

/* A word of a row, which is mapped, or at `offset` in it. */
static uint32_t row_word(const struct ow_tables *t, uint32_t srvid,
			 uint32_t row, size_t offset)
{
	const struct ow_adv *a = ow_tables_adv(t, srvid);
	uint64_t at = OFF_ADV + srvid * ROWS + row * sizeof(*a) + offset;
	uint32_t word = 0;

	if (a != ow_adv_none)
		return atomic_load((const _Atomic uint32_t *)
				       ((const char *)&a[row] + offset));
	/* The file shows what others have stored in their mappings. */
	return pread(t->fd, &word, sizeof(word), (off_t)at) == sizeof(word)
		   ? word : 0;
}

uint32_t ow_tables_row_svc(const struct ow_tables *t, uint32_t srvid,
			   uint32_t row)
{
	return row_word(t, srvid, row, offsetof(struct ow_adv, svc));
}

uint32_t ow_tables_row_awaits(const struct ow_tables *t, uint32_t srvid,
			      uint32_t row)
{
	return row_word(t, srvid, row, offsetof(struct ow_adv, awaits));
}

uint32_t ow_srv_next(const struct ow_tables *t, uint32_t from)
{
	uint32_t high = atomic_load(&t->head->srv_high);
	uint64_t word;

	if (high > OW_SRV_MAX)
		high = OW_SRV_MAX;
	while (from < high) {
		word = atomic_load(&t->head->srv_map[from / 64]);
		word >>= from % 64;
		if (word != 0) {
			from += (uint32_t)__builtin_ctzll(word);
			return from < high ? from : 0;
		}
		from = (from / 64 + 1) * 64;
	}
	return 0;
}

/* Fill the new segment behind `fd`. */
static int build(int fd, const void *unused)
{
	struct ow_tables_head *h;
	int r;

	r = ow_segment_size(fd, SEG_SIZE);
	if (r == 0)
		r = ow_segment_reserve(fd, OFF_HEAD, sizeof(*h));
	if (r != 0)
		return r;
	h = mmap(NULL, UP(sizeof(*h)), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 OFF_HEAD);
	if (h == MAP_FAILED)
		return -errno;
	h->version = OW_TABLES_VERSION;
	h->size = SEG_SIZE;
	read_boot_id(h->boot_id, sizeof(h->boot_id));
	atomic_store(&h->pid_namespace, ow_proc_namespace());
	ow_segment_init_lock(&h->lock);
	h->magic = OW_TABLES_MAGIC;
	munmap(h, UP(sizeof(*h)));
	return 0;
}

/* Does the file hold tables of this layout and this boot? 0, FOREIGN. */
static int check_segment(int fd, const struct stat *st)
{
	struct {
		uint64_t magic;
		uint32_t version, transport;
		uint64_t size;
		char boot_id[40];
	} h; /* the identifying beginning of the head */
	char boot[sizeof(h.boot_id)];

	_Static_assert(offsetof(struct ow_tables_head, lock) >= sizeof(h),
		       "same beginning as struct ow_tables_head");
	if ((uint64_t)st->st_size != SEG_SIZE ||
	    pread(fd, &h, sizeof(h), OFF_HEAD) != (ssize_t)sizeof(h))
		return OW_TABLES_FOREIGN;
	read_boot_id(boot, sizeof(boot));
	if (h.magic != OW_TABLES_MAGIC || h.version != OW_TABLES_VERSION ||
	    h.size != SEG_SIZE || memcmp(h.boot_id, boot, sizeof(boot)) != 0)
		return OW_TABLES_FOREIGN;
	return 0;
}

struct ow_tables *ow_tables_close(struct ow_tables *t)
{
	if (t == NULL)
		return NULL;
	ow_pieces_close(t->rows);
	ow_pieces_close(t->receive);
	if (t->head != NULL)
		munmap(t->head, MAP_SIZE);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
	return NULL;
}

void ow_tables_protect(struct ow_tables *t)
{
	mprotect(t->head, MAP_SIZE, PROT_READ);
	ow_pieces_protect(t->rows);
	ow_pieces_protect(t->receive);
}

static int map_segment(struct ow_tables *t, int fd)
{
	char *p;

	t->rows = ow_pieces_new(fd, OFF_ADV, ROWS * OW_SRV_PIECE,
				OW_SRV_MAX / OW_SRV_PIECE);
	t->receive = ow_pieces_new(fd, OFF_RX, OW_RX_SIZE * OW_SRV_PIECE,
				   OW_SRV_MAX / OW_SRV_PIECE);
	if (t->rows == NULL || t->receive == NULL)
		return -ENOMEM;
	p = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	madvise(p, MAP_SIZE, MADV_DONTDUMP);
	t->head = (struct ow_tables_head *)(p + OFF_HEAD);
	t->svc = (struct ow_svc *)(p + OFF_SVC);
	t->srv = (struct ow_srv *)(p + OFF_SRV);
	t->clt = (struct ow_clt *)(p + OFF_CLT);
	t->prc = (struct ow_prc *)(p + OFF_PRC);
	t->did = (struct ow_done_row *)(p + OFF_DID);
	return 0;
}

int ow_tables_attach(int fd, const char *name, struct ow_tables **ret)
{
	OW_CLEANUP(ow_tables_closep) struct ow_tables *t = NULL;
	struct stat st;
	int r = ow_owned_check(fd, name, S_IFREG, &st);

	if (r == 0)
		r = check_segment(fd, &st);
	if (r != 0)
		return r;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->fd = -1; /* the caller's until all is well */
	t->writable = true;
	t->patience_ns = PATIENCE_NS;
	r = map_segment(t, fd);
	if (r == 0)
		r = ow_namespace_enter(fd, &t->head->pid_namespace, name);
	if (r != 0)
		return r;
	t->fd = fd;
	*ret = t;
	t = NULL;
	return 0;
}

/* -EAGAIN: another process takes them over, or they come and go. */
static int open_once(const char *path, bool create, struct ow_tables **ret)
{
	int r, fd = ow_owned_open(path, O_RDWR, S_IFREG, NULL);

	if (fd == -ENOENT && !create)
		return OW_TABLES_ABSENT;
	if (fd == -ENOENT) {
		r = space(ow_segment_create(path, build, NULL));
		if (r != 0)
			return r;
		fd = ow_owned_open(path, O_RDWR, S_IFREG, NULL);
	}
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	r = ow_tables_attach(fd, path, ret);
	if (r != 0)
		close(fd);
	return r;
}

/* While several processes of a new namespace look at the tables, each keeps the
 * others from taking them over. */
int ow_tables_open(const char *path, bool create, struct ow_tables **ret)
{
	struct timespec nap = { .tv_sec = 0 };
	int r, tries;

	for (tries = 0; tries < TRIES; tries++) {
		r = open_once(path, create, ret);
		if (r != -EAGAIN && r != OW_TABLES_APART)
			break;
		nap.tv_nsec = (1 + (getpid() + tries * 7) % 19) * 1000 * 1000;
		nanosleep(&nap, NULL);
	}
	return r;
}

void ow_tables_set_lives(struct ow_tables *t, ow_lives_fn *fn, void *arg)
{
	t->lives = fn;
	t->lives_arg = arg;
}

bool ow_tables_lives(const struct ow_tables *t, ow_proc_id id)
{
	return t->lives != NULL ? t->lives(t->lives_arg, id)
				: ow_proc_id_alive(id);
}

void ow_tables_raise_mark(_Atomic uint32_t *mark, uint32_t to)
{
	uint32_t old = atomic_load(mark);

	while (old < to && !atomic_compare_exchange_weak(mark, &old, to))
		;
}
