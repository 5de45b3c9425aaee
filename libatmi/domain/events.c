/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - write and read the event ring
 *
 * Events are stored and loaded as 64-bit words: a reader may meet a
 * half-written event (and drops it), never half a word. Each word is stored
 * with release after the mark "being written" and loaded with acquire before
 * the mark is read again. There are no fences, which ThreadSanitizer would not
 * see.
 */
#include "libatmi/domain/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"

#define WORDS (sizeof(struct ow_event) / sizeof(uint64_t))
#define PAGE  4096u

struct slot {
	_Atomic uint64_t seq; /* 2n+1: n is being written; 2n+2: complete */
	_Atomic uint64_t word[WORDS];
};

#define PER_PAGE (PAGE / sizeof(struct slot))

struct head {
	uint64_t magic;
	uint32_t version;
	uint32_t max;
	_Atomic uint64_t next;
	_Atomic uint64_t lost;
	_Atomic uint64_t count[OW_EVENTS_COUNTS]; /* by kind */
};

_Static_assert(OW_EVENT_KIND_END <= OW_EVENTS_COUNTS, "more room for kinds");

struct ring {
	struct head head;
	char pad[PAGE - sizeof(struct head)];
	struct slot slot[OW_EVENTS_MAX];
};

_Static_assert(offsetof(struct ring, slot) == PAGE, "the head is a page");
_Static_assert(sizeof(struct slot) == 512, "8 slots to a page");

struct ow_events {
	struct ring *r;
	int fd;
	bool write;
	uint64_t room; /* this many pages of slots, from the first, have memory */
	char path[256];
};

/* ---- the segment ---- */

static int build(int fd, const void *arg)
{
	struct head h = {
		.magic = OW_EVENTS_MAGIC,
		.version = OW_EVENTS_VERSION,
		.max = OW_EVENTS_MAX,
	};
	int r;

	r = ow_segment_size(fd, sizeof(struct ring));
	if (r == 0)
		r = ow_segment_reserve(fd, 0, PAGE);
	if (r != 0)
		return r;
	return pwrite(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) ? 0 : -EIO;
}

static int check(int fd, const struct stat *st)
{
	struct head h;

	if (st->st_size != (off_t)sizeof(struct ring) ||
	    pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) ||
	    h.magic != OW_EVENTS_MAGIC || h.version != OW_EVENTS_VERSION ||
	    h.max != OW_EVENTS_MAX)
		return OW_EVENTS_FOREIGN;
	return 0;
}

static int open_file(const char *path, bool write, int *ret_fd)
{
	struct stat st;
	int fd = ow_owned_open(path, write ? O_RDWR : O_RDONLY, S_IFREG, &st);
	int r;

	if (fd < 0)
		return fd == -ENOENT ? OW_EVENTS_ABSENT : fd;
	r = check(fd, &st);
	if (r != 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

static int open_or_make(const char *path, int *ret_fd)
{
	int r = open_file(path, true, ret_fd);

	if (r == OW_EVENTS_FOREIGN && unlink(path) < 0)
		return -errno;
	if (r <= 0)
		return r;
	r = ow_segment_create(path, build, NULL);
	return r != 0 ? r : open_file(path, true, ret_fd);
}

static int map(struct ow_events *e)
{
	int prot = PROT_READ | (e->write ? PROT_WRITE : 0);
	void *p = mmap(NULL, sizeof(struct ring), prot, MAP_SHARED, e->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	e->r = p;
	return 0;
}

int ow_events_open(const char *path, bool write, struct ow_events **ret)
{
	struct ow_events *e = calloc(1, sizeof(*e));
	int r;

	if (e == NULL)
		return -ENOMEM;
	e->fd = -1;
	e->write = write;
	r = snprintf(e->path, sizeof(e->path), "%s", path) >=
			    (int)sizeof(e->path)
		? -ENAMETOOLONG
	    : write ? open_or_make(path, &e->fd)
		    : open_file(path, false, &e->fd);
	if (r == 0)
		r = map(e);
	if (r != 0)
		ow_events_close(e);
	else
		*ret = e;
	return r;
}

struct ow_events *ow_events_close(struct ow_events *e)
{
	if (e == NULL)
		return NULL;
	if (e->r != NULL)
		munmap(e->r, sizeof(struct ring));
	if (e->fd >= 0)
		close(e->fd);
	free(e);
	return NULL;
}

bool ow_events_stale(const struct ow_events *e)
{
	struct stat mine, now;

	return fstat(e->fd, &mine) < 0 || stat(e->path, &now) < 0 ||
	       mine.st_ino != now.st_ino || mine.st_dev != now.st_dev;
}

/* ---- writing ---- */

static void store(struct slot *s, uint64_t n, const struct ow_event *ev)
{
	uint64_t w[WORDS];
	size_t i;

	memcpy(w, ev, sizeof(w));
	ow_store_relaxed(&s->seq, 2 * n + 1);
	for (i = 0; i < WORDS; i++)
		atomic_store_explicit(&s->word[i], w[i], memory_order_release);
	atomic_store_explicit(&s->seq, 2 * n + 2, memory_order_release);
}

/* Writing to a page without memory would raise SIGBUS. */
static bool has_memory(struct ow_events *e, uint64_t page)
{
	if (page < e->room)
		return true;
	if (ow_segment_reserve(e->fd, PAGE, (page + 1) * PAGE) != 0)
		return false;
	e->room = page + 1;
	return true;
}

void ow_events_add(struct ow_events *e, struct ow_event *ev)
{
	struct head *h;
	uint64_t n;

	if (e == NULL || !e->write)
		return;
	h = &e->r->head;
	n = ow_load_relaxed(&h->next);
	if (!has_memory(e, n % OW_EVENTS_MAX / PER_PAGE)) {
		atomic_fetch_add(&h->lost, 1);
	} else {
		ev->number = n;
		ev->real_ns = ow_clock_real_ns();
		ev->mono_ns = ow_clock_mono_ns();
		store(&e->r->slot[n % OW_EVENTS_MAX], n, ev);
		atomic_store_explicit(&h->next, n + 1, memory_order_release);
	}
	if (ev->kind < OW_EVENT_KIND_END)
		atomic_fetch_add(&h->count[ev->kind], 1);
}

/* ---- reading ---- */

uint64_t ow_events_next(const struct ow_events *e)
{
	return atomic_load_explicit(&e->r->head.next, memory_order_acquire);
}

uint64_t ow_events_count(const struct ow_events *e, uint32_t kind)
{
	return kind < OW_EVENT_KIND_END
		   ? atomic_load(&e->r->head.count[kind]) : 0;
}

uint64_t ow_events_lost(const struct ow_events *e)
{
	return atomic_load(&e->r->head.lost);
}

int ow_events_read(const struct ow_events *e, uint64_t number,
		   struct ow_event *ret)
{
	struct slot *s = &e->r->slot[number % OW_EVENTS_MAX];
	uint64_t w[WORDS], want = 2 * number + 2;
	size_t i;

	/* The slot of a later event may have no memory. */
	if (number >= ow_events_next(e) ||
	    atomic_load_explicit(&s->seq, memory_order_acquire) != want)
		return OW_EVENTS_GONE;
	for (i = 0; i < WORDS; i++)
		w[i] = atomic_load_explicit(&s->word[i], memory_order_acquire);
	if (ow_load_relaxed(&s->seq) != want)
		return OW_EVENTS_GONE;
	memcpy(ret, w, sizeof(*ret));
	ret->who[sizeof(ret->who) - 1] = '\0';
	ret->text[sizeof(ret->text) - 1] = '\0';
	return 0;
}

/* ---- words ---- */

static const struct {
	const char *word;
	int grade;
} kinds[OW_EVENT_KIND_END] = {
	[OW_EVENT_NONE] = { "?", 0 },
#define X(name, w, g) [OW_EVENT_##name] = { w, g },
	OW_EVENT_KINDS(X)
#undef X
};

const char *ow_event_word(uint32_t kind)
{
	return kind < OW_EVENT_KIND_END ? kinds[kind].word : "?";
}

int ow_event_grade(uint32_t kind)
{
	return kind < OW_EVENT_KIND_END ? kinds[kind].grade : 0;
}
