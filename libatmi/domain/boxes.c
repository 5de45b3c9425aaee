/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boxes.c - map the boxes of client slots
 */
#include "libatmi/domain/boxes.h"

#include "libatmi/domain/sparse.h"
#include "libatmi/domain/tables.h"

static int map(struct ow_domain *d, struct ow_boxes *b, const char *kind,
	       size_t size)
{
	const struct ow_sparse s = {
		.kind = kind,
		.piece_size = (uint64_t)size * OW_BOXES_PIECE,
		.pieces = OW_CLT_MAX / OW_BOXES_PIECE,
	};
	struct ow_sparse_map m;
	int r = ow_sparse_map(d, &s, true, &m);

	if (r != 0)
		return r;
	b->fd = m.fd;
	atomic_store(&b->pieces, m.pieces);
	return 0;
}

int ow_boxes_need(struct ow_domain *d, struct ow_boxes *b, const char *kind,
		  size_t size)
{
	int r = 0;

	if (atomic_load_explicit(&b->pieces, memory_order_acquire) != NULL)
		return 0;
	ow_sparse_lock();
	if (atomic_load(&b->pieces) == NULL)
		r = map(d, b, kind, size);
	ow_sparse_unlock();
	return r;
}

void ow_boxes_unmap(struct ow_boxes *b)
{
	struct ow_sparse_map m = { .fd = b->fd,
				   .pieces = atomic_load(&b->pieces) };

	if (m.pieces == NULL)
		return;
	atomic_store(&b->pieces, NULL);
	ow_sparse_unmap(&(struct ow_sparse){ .kind = "" }, &m);
}
