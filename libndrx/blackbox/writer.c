/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - writing the file of the black box
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libndrx/blackbox/file.h"

struct ow_bb_writer {
	int fd;
	uint32_t places;
	uint64_t segment, number; /* of the next record; segment 0: none yet */
	size_t at;		  /* in the segment */
	bool torn, begun, whole;  /* whole: the next must be */
	bool replaced;
	uint64_t last_ns; /* of the last record */
	uint64_t last_mono_ns;
	unsigned char record[OW_BB_SEGMENT];
};

/* Open it with the lock: 0; -EBUSY; -errno. */
static int open_locked(const char *path, int *ret)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return -EBUSY;
	}
	*ret = fd;
	return 0;
}

/* What was recorded before, in another form, stays as PATH.old: it is not this
 * process's to throw away. Nothing was: there is no record in it. The new file is
 * open, and locked: 0; -EBUSY; -errno. */
static int set_aside(struct ow_bb_writer *w, const char *path)
{
	char old[PATH_MAX];
	struct stat st;
	int fd, r;

	if (fstat(w->fd, &st) < 0 || st.st_size <= OW_BB_FILE_HEAD)
		return 0;
	snprintf(old, sizeof(old), "%s.old", path);
	if (rename(path, old) < 0)
		return -errno;
	r = open_locked(path, &fd);
	if (r < 0)
		return r;
	close(w->fd);
	w->fd = fd;
	w->replaced = true;
	return 0;
}

static int make_new(struct ow_bb_writer *w, const char *prefix)
{
	struct ow_bb_file_head h = { .places = w->places,
				     .begun_ns = ow_clock_real_ns() };
	unsigned char page[OW_BB_FILE_HEAD] = { 0 };

	snprintf(h.prefix, sizeof(h.prefix), "%s", prefix);
	gethostname(h.host, sizeof(h.host) - 1);
	ow_bb_file_head_seal(&h);
	memcpy(page, &h, sizeof(h));
	if (ftruncate(w->fd, 0) < 0 ||
	    pwrite(w->fd, page, sizeof(page), 0) != sizeof(page))
		return errno != 0 ? -errno : -ENOSPC;
	w->segment = w->number = 0;
	return 0;
}

/* Go on behind the last good record. */
static int find_end(struct ow_bb_writer *w)
{
	struct ow_bb_place at = { 0 };
	struct ow_bb_file *f = NULL;
	struct ow_bb_record r;
	int fd = dup(w->fd), e;

	if (fd < 0)
		return -errno;
	e = ow_bb_open_fd(fd, &f);
	if (e < 0)
		return e;
	at = ow_bb_seek(f, UINT64_MAX);
	while (ow_bb_next(f, &at, &r)) {
		w->segment = r.head.segment;
		w->number = r.head.number;
		w->last_ns = r.head.real_ns;
		w->last_mono_ns = r.head.mono_ns;
		w->at = at.at;
	}
	w->torn = ow_bb_is_torn(f);
	ow_bb_close(f);
	return 0;
}

int ow_bb_writer_open(const char *path, uint32_t mib, const char *prefix,
		      struct ow_bb_writer **ret)
{
	struct ow_bb_writer *w = calloc(1, sizeof(*w));
	unsigned char page[OW_BB_FILE_HEAD] = { 0 };
	struct ow_bb_file_head h;
	int r;

	if (w == NULL)
		return -ENOMEM;
	w->places = mib * (1024 * 1024 / OW_BB_SEGMENT) - 1;
	w->whole = true;
	r = open_locked(path, &w->fd);
	if (r < 0) {
		free(w);
		return r;
	}
	if (pread(w->fd, page, sizeof(page), 0) == sizeof(page) &&
	    ow_bb_file_head_good(page, &h) && h.places == w->places &&
	    strncmp(h.prefix, prefix, sizeof(h.prefix) - 1) == 0)
		r = find_end(w);
	else if ((r = set_aside(w, path)) == 0)
		r = make_new(w, prefix);
	if (r < 0)
		ow_bb_writer_close(w);
	else
		*ret = w;
	return r;
}

struct ow_bb_writer *ow_bb_writer_close(struct ow_bb_writer *w)
{
	if (w == NULL)
		return NULL;
	fdatasync(w->fd);
	close(w->fd);
	free(w);
	return NULL;
}

/* A record that is written in part is no record. */
static int put(struct ow_bb_writer *w, const struct ow_bb_head *h,
	       const void *contents)
{
	size_t n = ow_bb_length(h);
	off_t at = (off_t)(OW_BB_FILE_HEAD +
			   ((h->segment - 1) % w->places) * OW_BB_SEGMENT + w->at);
	ssize_t done;

	memset(w->record + n - OW_BB_ALIGN, 0, OW_BB_ALIGN);
	memcpy(w->record, h, sizeof(*h));
	memcpy(w->record + sizeof(*h), contents, h->len);
	done = pwrite(w->fd, w->record, n, at);
	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -ENOSPC;
}

int ow_bb_append(struct ow_bb_writer *w, struct ow_bb_head *h,
		 const void *contents)
{
	size_t n = ow_bb_length(h);
	bool back = h->real_ns + OW_BB_BACK_NS < w->last_ns;
	bool next = w->segment == 0 || w->at + n > OW_BB_SEGMENT || back;
	uint64_t segment = w->segment + next;
	size_t at = w->at;
	int r;

	if (n > OW_BB_SEGMENT)
		return OW_BB_TOO_LONG;
	if ((next || w->whole) && !(h->flags & OW_BB_WHOLE))
		return OW_BB_SEGMENT_FULL;
	if (next)
		w->at = 0;
	h->segment = segment;
	h->number = w->number + 1;
	h->flags |= (uint8_t)(w->begun ? 0 : OW_BB_BEGUN |
			      (w->torn ? OW_BB_TORN : 0));
	h->flags |= back ? OW_BB_BACK : 0;
	ow_bb_head_seal(h, contents);
	r = put(w, h, contents);
	if (r < 0) {
		w->at = at;
		w->whole = true;
		return r;
	}
	w->segment = segment;
	w->number++;
	w->at += n;
	w->last_ns = h->real_ns;
	w->last_mono_ns = h->mono_ns;
	w->begun = true;
	w->whole = false;
	return OW_BB_APPENDED;
}

uint64_t ow_bb_writer_last(const struct ow_bb_writer *w)
{
	return w->last_ns;
}

uint64_t ow_bb_writer_last_mono(const struct ow_bb_writer *w)
{
	return w->last_mono_ns;
}

bool ow_bb_writer_replaced(const struct ow_bb_writer *w)
{
	return w->replaced;
}

bool ow_bb_writer_torn(const struct ow_bb_writer *w)
{
	return w->torn;
}

int ow_bb_sync(struct ow_bb_writer *w)
{
	return fdatasync(w->fd) < 0 ? -errno : 0;
}
