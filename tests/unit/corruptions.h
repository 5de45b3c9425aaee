/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corruptions.h - random damage to files, the same for the same seed
 *
 * What disks, cables, copies and operators do to files: bits that flip, files
 * that are cut short, blocks of zeros, blocks that have changed places, blocks
 * and whole files as they were earlier, files that are gone. Each test opens
 * what is left and judges. The short form makes some hundreds; OW_LONG=1, or
 * OW_CORRUPTIONS=n, more; OW_SEED=n another series.
 */
#ifndef OW_TEST_CORRUPTIONS_H
#define OW_TEST_CORRUPTIONS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file as it was; bytes NULL: it was not there. */
struct image {
	char *bytes;
	size_t size; /* that are kept here; zeros follow */
	size_t full; /* of the file */
	size_t used; /* the end of what is not zeros */
};

static inline struct image image_read(const char *path)
{
	struct image im = { .bytes = NULL };
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st) != 0)
		return im;
	im.size = im.full = (size_t)st.st_size;
	im.bytes = calloc(1, im.size + 1);
	if (read(fd, im.bytes, im.size) != (ssize_t)im.size)
		abort();
	close(fd);
	for (im.used = im.size; im.used > 0 && im.bytes[im.used - 1] == '\0';)
		im.used--;
	if (im.size > im.used + 20000)
		im.size = im.used + 20000;
	return im;
}

static inline void image_write(const char *path, const struct image *im)
{
	int fd;

	if (im->bytes == NULL) {
		unlink(path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, im->bytes, im->size) != (ssize_t)im->size ||
	    ftruncate(fd, (off_t)im->full) != 0)
		abort();
	close(fd);
}

static inline struct image image_copy(const struct image *im)
{
	struct image to = *im;

	if (im->bytes != NULL) {
		to.bytes = malloc(im->size + 1);
		memcpy(to.bytes, im->bytes, im->size);
	}
	return to;
}

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline size_t random_below(uint64_t *state, size_t n)
{
	return n == 0 ? 0 : (size_t)(random_next(state) % n);
}

static const char *const corruption_words[] = {
	"bit flipped", "bits flipped", "cut short", "block of zeros",
	"blocks swapped", "block as it was", "file as it was", "file gone",
	"block of garbage",
};

/* Damage `now` in one way; `was`: an earlier state of the file. Returns what
 * was done; NULL: this would have changed nothing. */
static inline const char *corrupt(uint64_t *state, struct image *now,
				  const struct image *was, char *text,
				  size_t room)
{
	static const size_t blocks[] = { 8, 64, 512, 4096, 16384 };
	size_t block = blocks[random_below(state, 5)], at, to, i;
	/* Most of the damage where something is. */
	size_t size = random_below(state, 8) == 0 ? now->size : now->used;
	size_t kind = random_below(state, 9);
	struct image before = image_copy(now);
	char swap[16384];
	bool same;

	at = random_below(state, size);
	if (kind >= 3 && block > 8)
		at -= at % block;
	if (block > now->size - at)
		block = now->size - at;
	to = random_below(state, size);
	to -= to % (block != 0 ? block : 1);
	if (to + block > now->size)
		to = 0;
	switch (kind) {
	case 1:
		for (i = 0; i < 7; i++)
			now->bytes[random_below(state, size)] ^=
				(char)(1 << random_below(state, 8));
		/* fall through */
	case 0:
		now->bytes[at] ^= (char)(1 << random_below(state, 8));
		break;
	case 2:
		now->size = now->full = at;
		break;
	case 3:
		memset(now->bytes + at, 0, block);
		break;
	case 4:
		memcpy(swap, now->bytes + at, block);
		memmove(now->bytes + at, now->bytes + to, block);
		memcpy(now->bytes + to, swap, block);
		break;
	case 5:
		if (was->bytes != NULL && at + block <= was->size)
			memcpy(now->bytes + at, was->bytes + at, block);
		break;
	case 6:
		free(now->bytes);
		*now = image_copy(was);
		break;
	case 7:
		free(now->bytes);
		now->bytes = NULL;
		break;
	default:
		for (i = 0; i < block; i++)
			now->bytes[at + i] = (char)random_next(state);
	}
	same = now->bytes != NULL && now->full == before.full &&
	       now->size == before.size &&
	       memcmp(now->bytes, before.bytes, now->size) == 0;
	free(before.bytes);
	snprintf(text, room, "%s at %zu, %zu bytes", corruption_words[kind], at,
		 block);
	return same ? NULL : text;
}

static inline long corruptions_wanted(long usual)
{
	const char *n = getenv("OW_CORRUPTIONS");

	if (n != NULL)
		return atol(n);
	return getenv("OW_LONG") != NULL ? 10000 : usual;
}

static inline uint64_t corruptions_seed(void)
{
	const char *n = getenv("OW_SEED");

	return n != NULL ? strtoull(n, NULL, 0) : 1;
}

#endif
