/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.c - requests in blocks, for onlookers
 */
#include "libatmi/transport/block/look.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/store.h"

#define TRIES 4 /* copies that differ: then its owner is writing */

/* Read from the data of block `i`: 0, -errno. */
static int read_at(struct ow_blocks *b, int c, uint32_t i, uint64_t off,
		   void *dst, size_t len)
{
	off_t at = ow_class_data_at(c, i) + (off_t)off;
	ssize_t n;

	if (off + len > ow_class_size(c))
		return -EBADMSG;
	while (len > 0) {
		n = pread(b->fd, dst, len, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		dst = (char *)dst + n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The same twice, until two copies agree: 0, CHANGING, -errno. */
static int read_twice(struct ow_blocks *b, int c, uint32_t i, uint64_t off,
		      void *dst, void *twice, size_t len)
{
	int tries, r;

	for (tries = 0; tries < TRIES; tries++) {
		r = read_at(b, c, i, off, dst, len);
		if (r == 0)
			r = read_at(b, c, i, off, twice, len);
		if (r != 0)
			return r;
		if (memcmp(dst, twice, len) == 0)
			return 0;
	}
	return OW_BLOCK_CHANGING;
}

static bool is_request(const struct ow_msg *m)
{
	return m->kind == OW_MSG_REQUEST &&
	       ow_msg_check(m, sizeof(*m) +
				   (m->block == 0 ? m->len : 0)) == 0;
}

/* A block in a state that may hold a request. False: it does not. */
static bool see(struct ow_blocks *b, int c, uint32_t i, uint64_t s,
		struct ow_block_seen *ret)
{
	struct ow_msg twice;
	int r;

	ret->state = s;
	ret->ref = ref_make(c, i, state_gen(s));
	ret->kind = state_kind(s);
	ret->prc = state_prc(s);
	if (ret->kind == OW_BLOCK_QUEUED)
		r = read_at(b, c, i, 0, &ret->head, sizeof(ret->head));
	else
		r = read_twice(b, c, i, 0, &ret->head, &twice,
			       sizeof(twice));
	return r == 0 && ow_load_acquire(&b->block[c][i].state) == s &&
	       is_request(&ret->head);
}

int ow_blocks_look(struct ow_blocks *b,
		   bool (*visit)(const struct ow_block_seen *, void *),
		   void *arg)
{
	struct ow_block_seen seen;
	uint32_t i, known;
	uint64_t s;
	int c, r;

	for (c = 0; c < OW_BLOCK_CLASSES; c++) {
		r = ow_class_look(b, c, &known);
		if (r != 0)
			return r == -ENOENT ? 0 : r; /* no store: no block */
		for (i = 0; i < known; i++) {
			s = ow_load_acquire(&b->block[c][i].state);
			if ((state_kind(s) == OW_BLOCK_QUEUED ||
			     state_kind(s) == OW_BLOCK_TAKEN) &&
			    see(b, c, i, s, &seen) && !visit(&seen, arg))
				return 0;
		}
	}
	return 0;
}

/* Block `ref`, mapped: its class and index. False: there is none. */
static bool place_of(struct ow_blocks *b, uint64_t ref, int *ret_c,
		     uint32_t *ret_i)
{
	uint32_t known;
	int c = (int)(ref >> 56) - 1;

	if (c < 0 || c >= OW_BLOCK_CLASSES || ow_class_look(b, c, &known) != 0)
		return false;
	*ret_c = c;
	*ret_i = (uint32_t)ref;
	return *ret_i < known;
}

int ow_block_copy(struct ow_blocks *b, uint64_t ref, uint64_t state, void *dst,
		  void *twice, size_t len)
{
	uint32_t i;
	int c, r;

	if (!place_of(b, ref, &c, &i) ||
	    ow_load_acquire(&b->block[c][i].state) != state)
		return OW_BLOCK_MOVED;
	if (state_kind(state) == OW_BLOCK_QUEUED)
		r = read_at(b, c, i, OW_BLOCK_HEAD, dst, len);
	else
		r = read_twice(b, c, i, OW_BLOCK_HEAD, dst, twice, len);
	return ow_load_acquire(&b->block[c][i].state) != state ? OW_BLOCK_MOVED
							       : r;
}

int ow_block_copy_used(struct ow_blocks *b, uint64_t ref, void *dst,
		       void *twice, size_t len)
{
	uint64_t s;
	uint32_t i;
	int c, r;

	if (!place_of(b, ref, &c, &i))
		return OW_BLOCK_MOVED;
	s = ow_load_acquire(&b->block[c][i].state);
	if (!ow_block_is_used(s, ref))
		return OW_BLOCK_MOVED;
	r = read_twice(b, c, i, OW_BLOCK_HEAD, dst, twice, len);
	return ow_load_acquire(&b->block[c][i].state) != s ? OW_BLOCK_MOVED
							   : r;
}
