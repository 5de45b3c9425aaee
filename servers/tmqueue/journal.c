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

#define MAGIC	 0x324a514fu /* "OQJ2" */
#define BEFORE	 0x314a514fu /* without a chain: the same, but for `number` */
#define PAGE	 4096u
#define MODE	 0600
#define DISK	 (8 * JOURNAL_BYTES) /* so much of the disk must be free */

/* Before the changes of a batch, which fills whole pages. */
struct batch_head {
	uint32_t magic;
	uint32_t crc; /* of all that follows */
	uint8_t id[JOURNAL_ID];
	uint64_t epoch;
	uint64_t number; /* of the batch, since the space was made */
	uint32_t before; /* crc of the batch before, of the same epoch */
	uint32_t n;	 /* changes */
	uint64_t size;	 /* with this head */
};

/* The same without a chain. */
struct unchained {
	uint32_t magic, crc;
	uint8_t id[JOURNAL_ID];
	uint64_t epoch;
	uint32_t number; /* of the batch in its epoch */
	uint32_t n;
	uint64_t size;
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
		 const uint8_t id[JOURNAL_ID], uint32_t salt, bool begun)
{
	struct stat st;
	int r;

	memset(j, 0, sizeof(*j));
	j->fd = -1;
	memcpy(j->id, id, sizeof(j->id));
	j->salt = salt;
	r = stat(path, &st) == 0 ? 0 : -errno;
	if (r != 0 && r != -ENOENT)
		return r;
	if (begun && (r == -ENOENT || (uint64_t)st.st_size < JOURNAL_BYTES))
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
	j->size = j->allocated = 0;
}

/* ---- read ---- */

/* A batch that lies in memory. */
struct batch {
	struct batch_head h;
	const char *at;	 /* its changes */
	uint64_t left;	 /* bytes of them */
	bool chained;	 /* it is not of a journal without a chain */
};

/* The whole batch of this space at `at`, of whatever epoch. */
static bool read_batch(const struct journal *j, const char *at, uint64_t left,
		       struct batch *ret)
{
	struct unchained u;
	struct batch b = { .chained = true };

	if (left < sizeof(b.h))
		return false;
	memcpy(&b.h, at, sizeof(b.h));
	b.at = at + sizeof(b.h);
	if (b.h.magic == BEFORE) {
		memcpy(&u, at, sizeof(u));
		b.h = (struct batch_head){ .magic = MAGIC, .crc = u.crc,
					   .epoch = u.epoch,
					   .number = u.number, .n = u.n,
					   .size = u.size };
		memcpy(b.h.id, u.id, sizeof(u.id));
		b.at = at + sizeof(u);
		b.chained = false;
	}
	if (b.h.magic != MAGIC || memcmp(b.h.id, j->id, sizeof(b.h.id)) != 0 ||
	    b.h.size < sizeof(b.h) || b.h.size > left ||
	    b.h.crc != (checksum(at, b.h.size) ^ (b.chained ? j->salt : 0)))
		return false;
	b.left = b.h.size - (uint64_t)(b.at - at);
	*ret = b;
	return true;
}

/* The batch at `at`, if it is the next of the epoch. */
static bool read_next(const struct journal *j, const char *at, uint64_t left,
		      struct batch *ret)
{
	return read_batch(j, at, left, ret) && ret->h.epoch == j->epoch &&
	       (ret->chained ? ret->h.number == j->number + 1 &&
				       ret->h.before == j->crc
			     : ret->h.number == j->batches);
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

void journal_restart(struct journal *j, uint64_t epoch, uint64_t number)
{
	j->epoch = epoch;
	j->number = j->proof = number;
	j->batches = j->ops = 0;
	j->end = 0;
	j->crc = 0;
}

/* Whole batches anywhere else: they prove what was on disk. */
static void look_beyond(struct journal *j, const char *bytes)
{
	struct batch b;
	uint64_t at;

	for (at = j->end; at < JOURNAL_BYTES; at += PAGE)
		if (read_batch(j, bytes + at, JOURNAL_BYTES - at, &b) &&
		    b.chained && b.h.number > j->proof)
			j->proof = b.h.number;
}

int journal_begin(struct journal *j, uint64_t epoch, uint64_t number)
{
	char *bytes = NULL;
	struct batch b;
	int r;

	journal_restart(j, epoch, number);
	journal_forget(j);
	if (j->fd < 0)
		return 0;
	r = read_file(j, JOURNAL_BYTES, &bytes);
	if (r != 0)
		return r;
	while (j->end < JOURNAL_BYTES &&
	       read_next(j, bytes + j->end, JOURNAL_BYTES - j->end, &b)) {
		j->end += pages(b.h.size);
		j->ops += b.h.n;
		j->batches++;
		j->number++;
		j->crc = b.h.crc;
	}
	j->proof = j->number;
	look_beyond(j, bytes);
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

static int replay_batch(const struct batch *b,
			int (*apply)(void *arg, const struct journal_op *op),
			void *arg)
{
	struct journal_op op;
	uint64_t at = 0;
	size_t n;
	uint32_t i;
	int r = 0;

	for (i = 0; i < b->h.n && r == 0; i++) {
		n = read_op(b->at + at, b->left - at, &op);
		if (n == 0)
			return -EBADMSG;
		r = apply(arg, &op);
		at += n;
	}
	return r;
}

int journal_replay(struct journal *j, bool beyond,
		   int (*apply)(void *arg, const struct journal_op *op),
		   void *arg, uint32_t *ret_n)
{
	uint64_t at = 0, end = beyond ? JOURNAL_BYTES : j->end;
	char *bytes = NULL;
	struct batch b;
	uint32_t n = 0;
	int r;

	if (end == 0)
		return 0;
	r = read_file(j, end, &bytes);
	while (at < end && r == 0) {
		if (!read_batch(j, bytes + at, end - at, &b)) {
			r = beyond ? 0 : -EBADMSG;
			at += PAGE;
			continue;
		}
		if (at < j->end || (b.chained && b.h.number > j->number)) {
			r = replay_batch(&b, apply, arg);
			n++;
		}
		at += pages(b.h.size);
	}
	free(bytes);
	if (ret_n != NULL)
		*ret_n = n;
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
	size_t allocated = 2 * (j->size + more) + PAGE;
	char *p;

	if (pages(j->size + more) > j->allocated) {
		p = realloc(j->buffer, pages(allocated));
		if (p == NULL)
			return NULL;
		j->buffer = p;
		j->allocated = pages(allocated);
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
				.number = j->number + 1,
				.before = j->crc,
				.n = j->n,
				.size = j->size };
	size_t size = pages(j->size), at = 0;
	ssize_t n;

	memcpy(h.id, j->id, sizeof(h.id));
	memcpy(j->buffer, &h, sizeof(h));
	h.crc = checksum(j->buffer, j->size) ^ j->salt;
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
	j->number = j->proof = h.number;
	j->crc = h.crc;
	j->ops += j->n;
	journal_forget(j);
	return 0;
}
