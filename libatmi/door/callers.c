/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callers.c - who stands behind a client slot, in shared memory
 */
#include "libatmi/door/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/pieces.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/sparse.h"
#include "libatmi/domain/tables.h"

#define MAGIC	  UINT64_C(0x3153524c4c41434f) /* "OCALLRS1" */
#define HEAD_SIZE 4096u
#define PIECE	  64u /* rows that are mapped at once */
#define TRIES	  1000

struct head {
	struct ow_sparse_head begin;
	_Atomic uint32_t epoch; /* of the last rules; ndrxd alone */
};

struct row {
	_Atomic uint32_t live; /* entry [live % 2] counts; 0: none yet */
	uint32_t pad;
	struct ow_caller entry[2];
	uint64_t pad2;
};

struct ow_callers {
	struct ow_sparse_map map;
};

static const struct ow_sparse layout = {
	.kind = "callers",
	.magic = MAGIC,
	.head_size = HEAD_SIZE,
	.piece_size = PIECE * sizeof(struct row),
	.pieces = OW_CLT_MAX / PIECE,
};

_Static_assert(sizeof(struct row) == 512, "8 rows to a page");

static struct ow_callers *callers_of(struct ow_domain *d)
{
	return atomic_load_explicit(&d->callers, memory_order_acquire);
}

static int map(struct ow_domain *d, bool create)
{
	struct ow_callers *c = calloc(1, sizeof(*c));
	int r = c == NULL ? -ENOMEM
			  : ow_sparse_map(d, &layout, create, &c->map);

	if (r == 0) {
		atomic_store(&d->callers, c);
		return 0;
	}
	free(c);
	return r == -ENOENT && !create ? OW_CALLERS_ABSENT
	       : r == -ENOSPC	       ? OW_CALLERS_NOSPACE
				       : r;
}

int ow_callers_need(struct ow_domain *d, bool create)
{
	int r = 0;

	if (callers_of(d) != NULL)
		return 0;
	ow_sparse_lock();
	if (callers_of(d) == NULL)
		r = map(d, create);
	ow_sparse_unlock();
	return r;
}

void ow_callers_unmap(struct ow_domain *d)
{
	struct ow_callers *c = callers_of(d);

	if (c == NULL)
		return;
	atomic_store(&d->callers, NULL);
	ow_sparse_unmap(&layout, &c->map);
	free(c);
}

static struct row *row_of(struct ow_callers *c, uint32_t slot)
{
	char *piece = ow_piece(c->map.pieces, slot / PIECE);

	return piece == NULL ? NULL : (struct row *)piece + slot % PIECE;
}

int ow_callers_write(struct ow_domain *d, uint32_t slot,
		     const struct ow_caller *caller)
{
	struct ow_callers *c;
	struct row *row;
	uint32_t next;
	int r = ow_callers_need(d, true);

	if (r != 0)
		return r;
	if (slot >= OW_CLT_MAX)
		return -EINVAL;
	c = callers_of(d);
	r = ow_segment_reserve(c->map.fd, HEAD_SIZE + slot * sizeof(*row),
			       sizeof(*row));
	if (r != 0)
		return r == -ENOSPC ? OW_CALLERS_NOSPACE : r;
	row = row_of(c, slot);
	if (row == NULL)
		return -ENOMEM;
	next = atomic_load(&row->live) + 1;
	if (next == 0)
		next = 2; /* an even one that is not "none yet" */
	row->entry[next % 2] = *caller;
	atomic_store_explicit(&row->live, next, memory_order_release);
	return 0;
}

/* Has the row memory? Reading a hole would allocate its page. */
static bool has_memory(const struct ow_callers *c, uint32_t slot)
{
	off_t at = (off_t)(HEAD_SIZE + slot * sizeof(struct row));
	off_t page = at - at % HEAD_SIZE;

	return lseek(c->map.fd, page, SEEK_DATA) == page;
}

int ow_callers_read(struct ow_domain *d, uint32_t slot, uint32_t gen,
		    struct ow_caller *ret)
{
	struct ow_callers *c;
	const struct row *row;
	uint32_t live;
	int i, r = ow_callers_need(d, false);

	if (r != 0 || slot >= OW_CLT_MAX)
		return r != 0 ? r : -EINVAL;
	c = callers_of(d);
	if (!has_memory(c, slot))
		return OW_CALLERS_ABSENT;
	row = row_of(c, slot);
	if (row == NULL)
		return -ENOMEM;
	for (i = 0; i < TRIES; i++) {
		live = atomic_load_explicit(&row->live, memory_order_acquire);
		if (live == 0)
			return OW_CALLERS_ABSENT;
		*ret = row->entry[live % 2];
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load(&row->live) != live)
			continue;
		if (ret->n_groups > OW_CALLER_GROUPS)
			return -EBADMSG;
		ret->login[OW_LOGIN_NAME - 1] = '\0';
		return ret->gen == gen ? 0 : OW_CALLERS_ABSENT;
	}
	return -EAGAIN;
}

static struct head *head_of(struct ow_domain *d)
{
	return callers_of(d)->map.head;
}

int ow_callers_next_epoch(struct ow_domain *d, uint32_t *ret)
{
	int r = ow_callers_need(d, true);

	if (r == 0)
		*ret = atomic_fetch_add(&head_of(d)->epoch, 1) + 1;
	return r;
}
