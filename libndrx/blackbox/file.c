/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - reading the file of the black box
 */
#include "libndrx/blackbox/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>


struct segment {
	uint64_t number, real_ns; /* of its first good record */
	size_t at;		  /* in the file */
};

struct ow_bb_file {
	int fd;
	const unsigned char *map;
	size_t size, n;
	struct segment *segments; /* by number */
	struct ow_bb_file_head head;
};

/* The next record of segment `number` in [at, end); `at` moves behind it. */
static bool find_record(const unsigned char *map, size_t *at, size_t end,
			uint64_t number, struct ow_bb_record *ret)
{
	for (; *at + sizeof(ret->head) <= end; *at += OW_BB_ALIGN) {
		if (!ow_bb_head_good(map + *at, end - *at, &ret->head) ||
		    (number != 0 && ret->head.segment != number))
			continue;
		ret->contents = map + *at + sizeof(ret->head);
		if (!ow_bb_contents_good(&ret->head, ret->contents))
			continue;
		*at += ow_bb_length(&ret->head);
		return true;
	}
	return false;
}

static size_t segment_end(const struct ow_bb_file *f, size_t i)
{
	size_t end = f->segments[i].at + OW_BB_SEGMENT;

	return end < f->size ? end : f->size;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct segment *)a)->number,
		 y = ((const struct segment *)b)->number;

	return x < y ? -1 : x > y;
}

/* Find the segments, each by its first good record. */
static int list_segments(struct ow_bb_file *f)
{
	size_t places = (f->size - OW_BB_FILE_HEAD + OW_BB_SEGMENT - 1) /
			OW_BB_SEGMENT;
	struct ow_bb_record r;
	struct segment *s;
	size_t i, at, end;

	free(f->segments);
	f->n = 0;
	f->segments = calloc(places + 1, sizeof(*f->segments));
	if (f->segments == NULL)
		return -ENOMEM;
	for (i = 0; i < places; i++) {
		s = &f->segments[f->n];
		s->at = at = OW_BB_FILE_HEAD + i * OW_BB_SEGMENT;
		end = segment_end(f, f->n);
		if (!find_record(f->map, &at, end, 0, &r))
			continue;
		s->number = r.head.segment;
		s->real_ns = r.head.real_ns;
		f->n++;
	}
	qsort(f->segments, f->n, sizeof(*f->segments), by_number);
	return 0;
}

int ow_bb_refresh(struct ow_bb_file *f)
{
	struct stat st;
	void *map;

	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < OW_BB_FILE_HEAD)
		return -EBADMSG;
	if ((size_t)st.st_size != f->size) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED,
			   f->fd, 0);
		if (map == MAP_FAILED)
			return -errno;
		if (f->map != NULL)
			munmap((void *)(uintptr_t)f->map, f->size);
		f->map = map;
		f->size = (size_t)st.st_size;
	}
	return list_segments(f);
}

int ow_bb_open_fd(int fd, struct ow_bb_file **ret)
{
	struct ow_bb_file *f = calloc(1, sizeof(*f));
	int r;

	if (f == NULL) {
		close(fd);
		return -ENOMEM;
	}
	f->fd = fd;
	r = ow_bb_refresh(f);
	/* With a damaged head the records are still good. */
	if (r == 0 && !ow_bb_file_head_good(f->map, &f->head)) {
		memset(&f->head, 0, sizeof(f->head));
		r = f->n > 0 ? 0 : -EBADMSG;
	}
	if (r == 0)
		*ret = f;
	else
		ow_bb_close(f);
	return r;
}

int ow_bb_open(const char *path, struct ow_bb_file **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : ow_bb_open_fd(fd, ret);
}

struct ow_bb_file *ow_bb_close(struct ow_bb_file *f)
{
	if (f == NULL)
		return NULL;
	if (f->map != NULL)
		munmap((void *)(uintptr_t)f->map, f->size);
	close(f->fd);
	free(f->segments);
	free(f);
	return NULL;
}

void ow_bb_about(const struct ow_bb_file *f, struct ow_bb_about *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->version = f->head.version;
	ret->places = f->head.places;
	ret->begun_ns = f->head.begun_ns;
	memcpy(ret->prefix, f->head.prefix, sizeof(ret->prefix) - 1);
	memcpy(ret->host, f->head.host, sizeof(ret->host) - 1);
}

bool ow_bb_next(const struct ow_bb_file *f, struct ow_bb_place *at,
		struct ow_bb_record *ret)
{
	for (; at->segment < f->n; at->segment++, at->at = 0) {
		const struct segment *s = &f->segments[at->segment];
		size_t pos = s->at + at->at;

		if (find_record(f->map, &pos, segment_end(f, at->segment),
				s->number, ret)) {
			at->at = pos - s->at;
			return true;
		}
	}
	return false;
}

struct ow_bb_place ow_bb_seek(const struct ow_bb_file *f, uint64_t real_ns)
{
	struct ow_bb_place at = { 0 }, best;
	struct ow_bb_record r;
	size_t i = f->n;

	while (i > 0 && f->segments[i - 1].real_ns > real_ns)
		i--;
	/* The one before has the whole record if this one's is damaged. */
	at.segment = i > 1 ? i - 2 : 0;
	best = at;
	for (;;) {
		struct ow_bb_place before = at;

		if (!ow_bb_next(f, &at, &r))
			return best;
		if (r.head.real_ns <= real_ns) {
			if (r.head.flags & OW_BB_WHOLE)
				best = before;
			continue;
		}
		if (at.segment + 1 >= i)
			return best;
		at = (struct ow_bb_place){ .segment = i - 1 };
	}
}

bool ow_bb_skip(const struct ow_bb_file *f, struct ow_bb_place *at,
		uint64_t real_ns)
{
	size_t i;

	for (i = at->segment + 1; i < f->n; i++) {
		if (f->segments[i].real_ns > real_ns)
			continue;
		*at = (struct ow_bb_place){ .segment = i };
		return true;
	}
	return false;
}

uint64_t ow_bb_earliest(const struct ow_bb_file *f)
{
	uint64_t first = 0;
	size_t i;

	for (i = 0; i < f->n; i++)
		if (first == 0 || f->segments[i].real_ns < first)
			first = f->segments[i].real_ns;
	return first;
}

/* Is there a record behind number `last`, which is not whole? */
static bool is_begun(const struct ow_bb_file *f, size_t pos, size_t end,
		     uint64_t last)
{
	struct ow_bb_head h;

	if (pos + sizeof(h) > end)
		return false;
	memcpy(&h, f->map + pos, sizeof(h));
	return h.magic == OW_BB_MAGIC && h.number == last + 1;
}

bool ow_bb_is_torn(const struct ow_bb_file *f)
{
	struct ow_bb_place at = { .segment = f->n > 0 ? f->n - 1 : 0 };
	struct ow_bb_record r;
	size_t pos, end;
	uint64_t last = 0;

	if (f->n == 0)
		return false;
	while (ow_bb_next(f, &at, &r))
		last = r.head.number;
	at.segment = f->n - 1;
	at.at = 0;
	pos = f->segments[at.segment].at;
	end = segment_end(f, at.segment);
	while (find_record(f->map, &pos, end, f->segments[at.segment].number,
			   &r) && r.head.number != last)
		;
	if (is_begun(f, pos, end, last))
		return true;
	/* ... or the first of the next segment? */
	pos = f->head.places == 0
		  ? f->size
		  : OW_BB_FILE_HEAD +
			(size_t)(f->segments[f->n - 1].number %
				 f->head.places) * OW_BB_SEGMENT;
	return is_begun(f, pos, f->size, last);
}
