/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.c - what was committed since the data base was last written
 */
#include "servers/tmqueue/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libubf/base/crc32.h"

#define MAGIC	 0x314a514fu /* "OQJ1" */
#define PAGE	 4096u
#define MODE	 0600
#define DISK	 (8 * JOURNAL_BYTES) /* so much of the disk must be free */

/* Before the changes of a batch, which fills whole pages. */
struct batch_head {
	uint32_t magic;
	uint32_t crc; /* of all that follows */
	uint8_t id[JOURNAL_ID];
	uint64_t epoch;
	uint32_t number; /* of the batch in its epoch */
	uint32_t n;	 /* changes */
	uint64_t size;	 /* with this head */
};

struct op_head {
	uint16_t table;
	uint16_t key_len;
	uint32_t removes;
	uint64_t len;
};

static uint32_t checksum(const char *batch, size_t size)
{
	size_t from = offsetof(struct batch_head, id);

	return ow_crc32(batch + from, size - from);
}

static uint64_t pages(uint64_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

/* ---- the file ---- */

/* Blocks that were never written would be made known to the file system at the
 * first sync of each: a second write. */
static int fill(int fd)
{
	static const char zeros[64 * 1024];
	uint64_t at;
	ssize_t n;

	for (at = 0; at < JOURNAL_BYTES; at += sizeof(zeros)) {
		n = pwrite(fd, zeros, sizeof(zeros), (off_t)at);
		if (n != (ssize_t)sizeof(zeros))
			return n < 0 ? -errno : -ENOSPC;
	}
	return fsync(fd) == 0 ? 0 : -errno;
}

static bool is_scarce(const char *path)
{
	char folder[4096];
	struct statvfs fs;
	char *slash;

	strncpy(folder, path, sizeof(folder) - 1);
	folder[sizeof(folder) - 1] = '\0';
	slash = strrchr(folder, '/');
	if (slash != NULL)
		*slash = '\0';
	return statvfs(slash != NULL ? folder : ".", &fs) == 0 &&
	       (uint64_t)fs.f_bavail * fs.f_frsize < DISK;
}

static int make(struct journal *j, const char *path)
{
	int r;

	if (is_scarce(path))
		return JOURNAL_NO_ROOM;
	j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE);
	if (j->fd < 0)
		return -errno;
	r = fill(j->fd);
	close(j->fd);
	j->fd = -1;
	if (r == 0)
		return 0;
	unlink(path);
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG ? JOURNAL_NO_ROOM
							    : r;
}

int journal_open(struct journal *j, const char *path,
		 const uint8_t id[JOURNAL_ID], bool begun)
{
	struct stat st;
	int r;

	memset(j, 0, sizeof(*j));
	j->fd = -1;
	memcpy(j->id, id, sizeof(j->id));
	r = stat(path, &st) == 0 ? 0 : -errno;
	if (r != 0 && r != -ENOENT)
		return r;
	if (r == -ENOENT && begun)
		return JOURNAL_MISSING;
	if (r == -ENOENT || (uint64_t)st.st_size < JOURNAL_BYTES) {
		r = make(j, path);
		if (r != 0)
			return r;
	}
	j->fd = open(path, O_RDWR | O_DSYNC | O_CLOEXEC);
	return j->fd >= 0 ? 0 : -errno;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
	free(j->buffer);
	j->buffer = NULL;
	j->size = j->room = 0;
}

/* ---- read ---- */

/* Whether the batch at `at` is the next of the epoch. */
static bool is_whole(const struct journal *j, const char *at, uint64_t left,
		     uint32_t number)
{
	struct batch_head h;

	if (left < sizeof(h))
		return false;
	memcpy(&h, at, sizeof(h));
	return h.magic == MAGIC && h.epoch == j->epoch && h.number == number &&
	       memcmp(h.id, j->id, sizeof(h.id)) == 0 &&
	       h.size >= sizeof(h) && h.size <= left &&
	       h.crc == checksum(at, h.size);
}

static int read_file(const struct journal *j, uint64_t size, char **ret)
{
	char *bytes = malloc(size + 1);
	uint64_t at = 0;
	ssize_t n = 1;

	if (bytes == NULL)
		return -ENOMEM;
	for (; at < size && n > 0; at += n > 0 ? (uint64_t)n : 0)
		n = pread(j->fd, bytes + at, size - at, (off_t)at);
	if (n > 0 || at == size) {
		*ret = bytes;
		return 0;
	}
	free(bytes);
	return n < 0 ? -errno : -EBADMSG;
}

void journal_restart(struct journal *j, uint64_t epoch)
{
	j->epoch = epoch;
	j->batches = j->ops = 0;
	j->end = 0;
}

int journal_begin(struct journal *j, uint64_t epoch)
{
	struct batch_head h;
	char *bytes = NULL;
	int r;

	journal_restart(j, epoch);
	journal_forget(j);
	if (j->fd < 0)
		return 0;
	r = read_file(j, JOURNAL_BYTES, &bytes);
	if (r != 0)
		return r;
	while (j->end < JOURNAL_BYTES &&
	       is_whole(j, bytes + j->end, JOURNAL_BYTES - j->end,
			j->batches)) {
		memcpy(&h, bytes + j->end, sizeof(h));
		j->end += pages(h.size);
		j->ops += h.n;
		j->batches++;
	}
	free(bytes);
	return 0;
}

/* One change at `at`: the bytes that it fills; 0: it is not whole. */
static size_t read_op(const char *at, size_t left, struct journal_op *ret)
{
	struct op_head h;

	if (left < sizeof(h))
		return 0;
	memcpy(&h, at, sizeof(h));
	if (h.key_len > left - sizeof(h) ||
	    h.len > left - sizeof(h) - h.key_len)
		return 0;
	ret->table = h.table;
	ret->key = at + sizeof(h);
	ret->key_len = h.key_len;
	ret->data = h.removes ? NULL : at + sizeof(h) + h.key_len;
	ret->len = h.len;
	return sizeof(h) + h.key_len + h.len;
}

static int replay_batch(const char *batch, uint64_t *ret_size,
			int (*apply)(void *arg, const struct journal_op *op),
			void *arg)
{
	struct batch_head h;
	struct journal_op op;
	size_t at = sizeof(h), n;
	uint32_t i;
	int r = 0;

	memcpy(&h, batch, sizeof(h));
	for (i = 0; i < h.n && r == 0; i++) {
		n = read_op(batch + at, h.size - at, &op);
		if (n == 0)
			return -EBADMSG;
		r = apply(arg, &op);
		at += n;
	}
	*ret_size = pages(h.size);
	return r;
}

int journal_replay(struct journal *j,
		   int (*apply)(void *arg, const struct journal_op *op),
		   void *arg)
{
	uint64_t at = 0, size = 0;
	char *bytes = NULL;
	uint32_t i;
	int r;

	if (j->batches == 0)
		return 0;
	r = read_file(j, j->end, &bytes);
	for (i = 0; i < j->batches && r == 0; i++) {
		if (!is_whole(j, bytes + at, j->end - at, i))
			r = -EBADMSG;
		else
			r = replay_batch(bytes + at, &size, apply, arg);
		at += size;
	}
	free(bytes);
	return r;
}

/* ---- written ---- */

void journal_forget(struct journal *j)
{
	j->size = sizeof(struct batch_head);
	j->n = 0;
	j->too_large = false;
}

/* Room for `more` bytes of the batch. */
static char *grow(struct journal *j, size_t more)
{
	size_t room = 2 * (j->size + more) + PAGE;
	char *p;

	if (pages(j->size + more) > j->room) {
		p = realloc(j->buffer, pages(room));
		if (p == NULL)
			return NULL;
		j->buffer = p;
		j->room = pages(room);
	}
	p = j->buffer + j->size;
	j->size += more;
	return p;
}

void journal_note(struct journal *j, const struct journal_op *op)
{
	struct op_head h = { .table = (uint16_t)op->table,
			     .key_len = (uint16_t)op->key_len,
			     .removes = op->data == NULL,
			     .len = op->data != NULL ? op->len : 0 };
	char *p;

	j->n++;
	if (j->fd < 0 || j->too_large)
		return;
	p = j->size + h.len > JOURNAL_BYTES
		? NULL : grow(j, sizeof(h) + op->key_len + h.len);
	if (p == NULL) {
		j->too_large = true;
		return;
	}
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), op->key, op->key_len);
	if (h.len > 0)
		memcpy(p + sizeof(h) + op->key_len, op->data, h.len);
}

bool journal_has_room(const struct journal *j)
{
	return j->fd >= 0 && !j->too_large &&
	       pages(j->size) <= JOURNAL_BYTES - j->end;
}

int journal_write(struct journal *j)
{
	struct batch_head h = { .magic = MAGIC,
				.epoch = j->epoch,
				.number = j->batches,
				.n = j->n,
				.size = j->size };
	size_t size = pages(j->size), at = 0;
	ssize_t n;

	memcpy(h.id, j->id, sizeof(h.id));
	memcpy(j->buffer, &h, sizeof(h));
	h.crc = checksum(j->buffer, j->size);
	memcpy(j->buffer, &h, sizeof(h));
	memset(j->buffer + j->size, 0, size - j->size);
	for (; at < size; at += (size_t)n) {
		n = pwrite(j->fd, j->buffer + at, size - at,
			   (off_t)(j->end + at));
		if (n < 0)
			return -errno;
	}
	j->end += size;
	j->batches++;
	j->ops += j->n;
	journal_forget(j);
	return 0;
}
